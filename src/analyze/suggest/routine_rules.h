#pragma once

#include <string>
#include <vector>

#include "analyze/suggest/lookup.h"

namespace txscope::analyze {

/// `stock = stock - amount`, or a new row: what a statement does to a total.
struct Move {
  Total total;
  char sign = '+';
  std::string amount;  ///< value_name()
  bool is_update = false;
};

/// What the text of one routine suggests (suggested_rules.h).
struct RoutineRules {
  std::vector<sql::Property> rules;
  std::vector<Move> moves;
};
[[nodiscard]] RoutineRules routine_rules(const sql::Schema& schema,
                                         const sql::Routine& routine);

}  // namespace txscope::analyze
