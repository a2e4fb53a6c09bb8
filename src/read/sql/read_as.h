#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/sql/application.h"
#include "model/sql/dialect.h"

namespace txscope::sql {

/// As read_open_sql() (sql.h), in the syntax of this dialect, whatever the text
/// looks like.
[[nodiscard]] Result<Application> read_sql_as(
    std::string file, std::string text, bool needs_sessions, Dialect dialect,
    std::vector<Error>* others = nullptr);

/// The text is in MySQL's or MariaDB's syntax, and cannot be PostgreSQL's.
[[nodiscard]] bool looks_like_mysql(std::string_view text);

}  // namespace txscope::sql
