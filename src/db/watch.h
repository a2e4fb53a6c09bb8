#pragma once

#include <memory>
#include <span>
#include <vector>

#include "db/session.h"
#include "model/product/product.h"

namespace txscope::db {

/// Asks a server, ours or the user's, who waits there, on a session of its own.
class Watch {
 public:
  virtual ~Watch() = default;

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

/// Which of these connections of MariaDB wait for a lock of another one at this
/// moment: of InnoDB, of a table, or one that has a name.
[[nodiscard]] std::vector<bool> waiting_in_mariadb(
    Session& control, std::span<const std::int64_t> ids);

/// Of PostgreSQL or MariaDB, the products with locks to be asked about.
[[nodiscard]] std::unique_ptr<Watch> make_watch(
    Product product, std::unique_ptr<Session> control);

}  // namespace txscope::db
