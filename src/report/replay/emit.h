#pragma once

#include <string>

#include "base/result.h"
#include "model/statement_schedule.h"
#include "report/replay/script.h"

namespace txscope::report {

/// An Error where the form does not speak the product.
[[nodiscard]] Result<std::string> emitted(const StatementSchedule& schedule,
                                          ScriptForm form);

}  // namespace txscope::report
