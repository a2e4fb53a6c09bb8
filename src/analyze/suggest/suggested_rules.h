#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/budget.h"
#include "exec/sql/memory/database.h"

namespace txscope::analyze {

/// Rules that nobody has written down and that the code seems to rely on.
///
/// Definition.  A number from which is taken stays >= 0; one that is added to
/// stays within the column of its row that it is compared with; rows that are
/// counted and compared with a limit before one more is inserted stay within
/// it; rows that are looked for by values before one with these values is
/// inserted are one per values; what is taken here and added there has one sum.
/// A rule that the initial state breaks, or that the schema declares, is none.
/// They are guesses: asked beside what is always asked, they say what a race
/// does, and turn no answer red.
[[nodiscard]] std::vector<sql::Property> suggested_rules(
    const sql::Application& application, const sql::MemoryDatabase& initial,
    const Budget& budget);

/// Their names.
using RuleNames = std::set<std::string>;

}  // namespace txscope::analyze
