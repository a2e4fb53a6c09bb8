#pragma once

#include <optional>

#include "base/budget.h"
#include "base/result.h"
#include "exec/sql/memory/database.h"

namespace txscope::sql {

/// The first `--@ assume` that the setup, with the arguments of the calls, does
/// not satisfy, as an error of the user.  NULL counts as false, and so does a
/// condition that fails.
[[nodiscard]] std::optional<Error> failed_assumption(
    const Application& application, const MemoryDatabase& initial,
    const Budget& budget);
/// The same, after running the setup; one that fails is for others to tell.
[[nodiscard]] std::optional<Error> failed_assumption(
    const Application& application, const Budget& budget);

}  // namespace txscope::sql
