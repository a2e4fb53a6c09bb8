#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/sql/application.h"
#include "model/sql/dialect.h"

namespace txscope {

/// Reads an application in SQL, a file that psql accepts, or the client of
/// MySQL and MariaDB: docs/sql.md has the
/// fragment and the annotations.  `file` is its name in messages and places.
/// Mistakes are reported with place, line and hint, the first as the error, all
/// more in `others`.  What is not supported is refused by its name where a
/// session needs it, and listed in Application::notes where none does.
/// `dialect`: whose syntax and meaning it has; none: what it looks like.
/// `needs_sessions`: a file that says who runs what; else it may only say what
/// there is to run.
[[nodiscard]] Result<sql::Application> read_sql(
    std::string file, std::string text, bool needs_sessions = true,
    std::vector<Error>* others = nullptr,
    std::optional<sql::Dialect> dialect = std::nullopt);

/// The same, and `?` as an argument and `--@ open` may stand in it, which
/// read_sql() refuses.
[[nodiscard]] Result<sql::Application> read_open_sql(
    std::string file, std::string text, bool needs_sessions = true,
    std::vector<Error>* others = nullptr,
    std::optional<sql::Dialect> dialect = std::nullopt);

namespace sql {
/// The text is in MySQL's or MariaDB's syntax, and cannot be PostgreSQL's.
[[nodiscard]] bool looks_like_mysql(std::string_view text);
}  // namespace sql

}  // namespace txscope
