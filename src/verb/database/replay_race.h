#pragma once

#include <nlohmann/json.hpp>

#include "txscope/replay.h"

namespace txscope::verb {

/// The first finding of a report of `race`: its requests run again.  Throws
/// what nlohmann::json throws where a field of the report is missing.
[[nodiscard]] Result<Report> replay_race(const ReplayRequest& request,
                                         const nlohmann::json& from,
                                         const Budget& budget);

}  // namespace txscope::verb
