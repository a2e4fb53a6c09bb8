#pragma once

#include <set>

#include "model/sql/routine.h"

namespace txscope::repair {

/// Adds the variables that an expression looks at.
void add_variables(const sql::Expr& expression, std::set<std::uint32_t>& slots);
[[nodiscard]] std::set<std::uint32_t> variables_in(
    const sql::DbStatement& statement);

/// The variables that a statement, or one inside it, gives a value.
[[nodiscard]] std::set<std::uint32_t> slots_assigned_in(
    const sql::PlStatement& statement);

/// Whether a routine looks at a variable: its caller, or some statement that is
/// not `gone`; the conditions of the IF `tested` do not count.
[[nodiscard]] bool is_used(const sql::Routine& routine, std::uint32_t slot,
                           const std::set<const sql::PlStatement*>& gone,
                           const sql::PlStatement* tested);

}  // namespace txscope::repair
