#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "robust/result.h"
#include "txscope/evidence.h"

namespace txscope::report {

/// For people: the answer, what it means, the schedule, the cycle, repairs.
[[nodiscard]] std::string robust_text(const robust::RobustReport& report);
/// An array with one element of "results" per question.
[[nodiscard]] nlohmann::ordered_json robust_json(
    const robust::RobustReport& report);
/// "an execution has a cycle of dependencies that no serial one has"
[[nodiscard]] std::string why_not_robust(Notion notion);
/// What a step gave, whom it waits for, or how it failed.
[[nodiscard]] std::string robust_seen(const evidence::Step& step);
/// The cycles, for Graphviz.
[[nodiscard]] std::string robust_dot(const robust::RobustReport& report);

}  // namespace txscope::report
