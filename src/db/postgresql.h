#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "db/keeper.h"
#include "db/server.h"

namespace txscope::db {

/// Starts a PostgreSQL server; an Error where its programs are not installed.
/// Nobody waits for `deadlock_timeout` there: it is an hour, so a deadlock
/// lasts until a session has set a shorter one for itself or is cancelled.
[[nodiscard]] Result<std::unique_ptr<Server>> start_postgresql(
    DataPlace place = DataPlace::Disk);

/// Connects to a server by libpq's connection string; to `database`, if it is
/// not empty, instead of the one that the string names.
[[nodiscard]] Result<std::unique_ptr<Session>> connect_postgresql(
    const std::string& connection, const std::string& database = "");

/// Where a session's server really is, for who speaks with it by himself.
struct PostgresqlEndpoint {
  std::string host;  ///< a directory: its socket
  std::string port;
  std::string database;
};
[[nodiscard]] PostgresqlEndpoint endpoint_of(const Session& postgresql);

}  // namespace txscope::db
