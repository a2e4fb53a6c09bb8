#pragma once

#include "race/outcome/state.h"
#include "race/plan/plan.h"
#include "race/reduce/catalog.h"

namespace txscope::race {

/// Numbers of sequences only name rows: they are ignored, and references to
/// them followed.
void add_generated(const Catalog& catalog, Plan& plan);

/// Columns whose values differ between two states that should be the same are
/// ignored: times, random numbers.
void add_differing(const State& first, const State& second, Plan& plan);

}  // namespace txscope::race
