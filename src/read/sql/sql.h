#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/sql/application.h"

namespace txscope {

/// Reads an application in SQL, a file that psql accepts: docs/sql.md has the
/// fragment and the annotations.  `file` is its name in messages and places.
/// Mistakes are reported with place, line and hint, the first as the error, all
/// more in `others`.  What is not supported is refused by its name where a
/// session needs it, and listed in Application::notes where none does.
/// `needs_sessions`: a file that says who runs what; else it may only say what
/// there is to run.
[[nodiscard]] Result<sql::Application> read_sql(
    std::string file, std::string text, bool needs_sessions = true,
    std::vector<Error>* others = nullptr);

/// The same, and `?` as an argument and `--@ open` may stand in it, which
/// read_sql() refuses.
[[nodiscard]] Result<sql::Application> read_open_sql(
    std::string file, std::string text, bool needs_sessions = true,
    std::vector<Error>* others = nullptr);

}  // namespace txscope
