#pragma once

#include <string>

#include "base/result.h"
#include "model/sql/application.h"

namespace txscope {

/// Reads an application in SQL, a file that psql accepts: docs/sql.md has the
/// fragment and the annotations.  `file` is its name in messages and places.
/// The first mistake is reported, with its place, its line and a hint; what is
/// not supported is refused by its name.
/// `needs_sessions`: a file that says who runs what; else it may only say what
/// there is to run.
[[nodiscard]] Result<sql::Application> read_sql(std::string file,
                                                std::string text,
                                                bool needs_sessions = true);

/// The same, and `?` as an argument and `--@ open` may stand in it, which
/// read_sql() refuses.
[[nodiscard]] Result<sql::Application> read_open_sql(
    std::string file, std::string text, bool needs_sessions = true);

}  // namespace txscope
