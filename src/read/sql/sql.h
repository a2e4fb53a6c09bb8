#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/sql/application.h"

namespace txscope::sql {

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

/// The same without sessions, of scripts that nobody has to run as they are: a
/// statement that a database would refuse is left out, as psql goes on behind
/// it, and told in `left_out`; what it would have made cannot be used.
[[nodiscard]] Result<sql::Application> read_sql_scripts(
    std::string file, std::string text, std::vector<Error>& left_out,
    std::vector<Error>* others = nullptr);

/// As read_sql(), and `?` as an argument and `--@ open` may stand in it, which
/// read_sql() refuses.
[[nodiscard]] Result<sql::Application> read_open_sql(
    std::string file, std::string text, bool needs_sessions = true,
    std::vector<Error>* others = nullptr);

}  // namespace txscope::sql
