#pragma once

#include "model/program.h"
#include "model/sql/application.h"

namespace txscope::verify {

/// The program from any state in which its invariants hold: every place that an
/// invariant mentions is open, and the invariants are assumed of the initial
/// state, under their own names.  If they hold in the end for all inputs, they
/// are inductive: whatever the rows hold, these calls keep the rules.
[[nodiscard]] Program inductive(const Program& program);

/// The same: every column outside of the primary key that an invariant mentions
/// is open in the rows that are there.  How many rows there are is as given.
[[nodiscard]] sql::Application inductive(const sql::Application& application);

}  // namespace txscope::verify
