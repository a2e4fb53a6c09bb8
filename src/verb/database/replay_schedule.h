#pragma once

#include <nlohmann/json.hpp>

#include "txscope/replay.h"

namespace txscope::verb {

/// The counterexamples of a report about an application in SQL, on a real
/// database; with `emit`, the first one as a script, and nothing runs.  Throws
/// what nlohmann::json throws where a field of the report is missing.
[[nodiscard]] Result<Report> replay_schedules(const ReplayRequest& request,
                                              const nlohmann::json& from,
                                              const Budget& budget);

}  // namespace txscope::verb
