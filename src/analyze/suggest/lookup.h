#pragma once

#include <map>
#include <optional>
#include <string>

#include "analyze/suggest/rule_makers.h"

namespace txscope::analyze {

/// Names a value that two statements of a routine use: a variable, a constant;
/// empty: something else.
[[nodiscard]] std::string value_name(const sql::Expr& e);

/// What a query asks of one table: columns that are equal to constants and to
/// variables, and nothing else.
struct Lookup {
  RowsOf rows;
  std::map<std::uint32_t, std::string> by;  ///< column: value_name()
};
[[nodiscard]] std::optional<Lookup> lookup_of(const sql::Query& query);

}  // namespace txscope::analyze
