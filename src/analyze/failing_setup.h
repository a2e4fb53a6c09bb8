#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// Takes out of the setup what fails when it runs, as psql goes on behind it.
/// What it was, and why it fails; empty: nothing fails.
[[nodiscard]] std::vector<std::string> leave_out_failing(
    sql::Application& application, std::uint64_t loop_bound,
    const Budget& budget);

}  // namespace txscope::analyze
