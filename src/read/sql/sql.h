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
[[nodiscard]] Result<sql::Application> read_sql(
    std::string file, std::string text, std::vector<Error>* others = nullptr);

}  // namespace txscope
