#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"
#include "db/watch.h"

namespace txscope::db {

/// A database server.  One of our own is on a private socket in a temporary
/// directory; it ends, and the directory goes, with this object or with this
/// process, however that ends.
class Server {
 public:
  virtual ~Server() = default;

  /// The directory with its socket.
  [[nodiscard]] virtual const std::string& host() const = 0;
  /// A new connection; `database` has to exist, empty: the default one.
  [[nodiscard]] virtual Result<std::unique_ptr<Session>> connect(
      const std::string& database = "") = 0;

  // As Watch says.
  [[nodiscard]] std::vector<bool> waiting(std::span<Session* const> sessions) {
    return watch_->waiting(sessions);
  }
  [[nodiscard]] std::vector<std::vector<std::size_t>> waits_for(
      std::span<Session* const> sessions) {
    return watch_->waits_for(sessions);
  }
  void cancel(const Session& session) { watch_->cancel(session); }
  void tidy_up() { watch_->tidy_up(); }

 protected:
  std::unique_ptr<Watch> watch_;
};

/// Waits until each session that has something sent has its answer or waits for
/// a lock of another one; says which do wait.  One that is neither still works,
/// so this ends; a deadlock that the server has not ended yet counts as
/// waiting.
[[nodiscard]] std::vector<bool> settle(Server& server,
                                       std::span<Session* const> sessions);

}  // namespace txscope::db
