#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "db/session.h"

namespace txscope::db {

/// Opens a database file of SQLite, making it if it is not there.  A statement
/// that finds the database locked waits without blocking the thread: it is
/// tried again whenever somebody asks whether it is answered, for at most five
/// seconds.  What can never succeed (the snapshot is stale) fails at once.
[[nodiscard]] Result<std::unique_ptr<Session>> connect_sqlite(
    const std::string& path);

}  // namespace txscope::db
