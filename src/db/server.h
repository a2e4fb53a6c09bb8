#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"

namespace txscope::db {

/// A database server of our own, on a private socket in a temporary directory.
/// It ends, and the directory goes, with this object or with this process,
/// however that ends.
class Server {
 public:
  virtual ~Server() = default;

  /// A new connection; `database` has to exist, empty: the default one.
  [[nodiscard]] virtual Result<std::unique_ptr<Session>> connect(
      const std::string& database = "") = 0;

  /// Which of these sessions wait for a lock at this moment.
  [[nodiscard]] virtual std::vector<bool> waiting(
      std::span<Session* const> sessions) = 0;
  /// For each of these sessions the others (as indices) that it waits for, as
  /// far as the server tells; MariaDB does not.
  [[nodiscard]] virtual std::vector<std::vector<std::size_t>> waits_for(
      std::span<Session* const> sessions) = 0;
  /// Ends what the session has the server do, with an error.
  virtual void cancel(const Session& session) = 0;
  /// Waits, not for long, until the server has taken away what nobody can see
  /// any more.
  virtual void tidy_up() {}
};

/// Waits until each session that has something sent has its answer or waits for
/// a lock of another one; says which do wait.  One that is neither still works,
/// so this ends; a deadlock that the server has not ended yet counts as
/// waiting.
[[nodiscard]] std::vector<bool> settle(Server& server,
                                       std::span<Session* const> sessions);

}  // namespace txscope::db
