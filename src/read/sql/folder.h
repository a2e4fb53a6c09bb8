#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace txscope::sql {

/// The SQL files that a name stands for, in the order in which people's tools
/// load them: the file itself; of a folder all *.sql below it, schemas first,
/// then versions as Flyway and others count them (V2__ before V10__, 0002
/// before 0010, timestamps), then the rest by name, data, and Flyway's R__
/// last.  What takes a version back (U2__, *.down.sql, down.sql) is left out;
/// of a Sqitch project its plan says what there is.  A pattern (*, ?, **) that
/// no shell has put files in place of stands for those that it fits. An Error:
/// there is no such file, or the folder holds no SQL.
[[nodiscard]] Result<std::vector<std::string>> sql_files(
    const std::string& name);

/// Whether `a` comes before `b`, by the names of files of one folder.
[[nodiscard]] bool loads_before(const std::string& a, const std::string& b);

}  // namespace txscope::sql
