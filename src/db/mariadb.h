#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "db/server.h"

namespace txscope::db {

/// Starts a MariaDB server without accounts and with one database, `test`; an
/// Error where its program is not installed.  Lock waits never time out.
[[nodiscard]] Result<std::unique_ptr<Server>> start_mariadb();

/// Where a server is; what is empty is left to the client library.
struct MariadbAddress {
  std::string host;
  unsigned port = 0;
  std::string socket;
  std::string user;
  std::string password;
  std::string database;
  /// ~/.my.cnf and the like, section [client].
  bool reads_option_files = false;
};
[[nodiscard]] Result<std::unique_ptr<Session>> connect_mariadb(
    const MariadbAddress& address);

/// Connects through a server's socket.
[[nodiscard]] Result<std::unique_ptr<Session>> connect_mariadb(
    const std::string& socket, const std::string& user,
    const std::string& database);

}  // namespace txscope::db
