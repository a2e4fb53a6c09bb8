#pragma once

#include <string>

#include "base/result.h"
#include "race/plan/plan.h"

namespace txscope::race {

/// A race that is kept in a file: what is run and asked, and beside it
/// schema.sql, which makes the database.
struct Case {
  std::string name;
  Plan plan;
  std::string schema_file;
  std::string schema;
};

/// Reads a case.json, or the one of a directory:
///   product   postgresql (also without it) or mariadb
///   requests  command lines, each an array of words or a text for sh -c
///   serve     the application's server, which is started once
///   reset     a command that makes the beginning again
///   env       more variables
///   rules     name -> condition in SQL
///   ignore    ["table.column", ..]
///   follow    "table.column" -> "table.column"
///   gave_up   regular expressions
/// Other fields are left alone.
[[nodiscard]] Result<Case> read_case(const std::string& file);

}  // namespace txscope::race
