#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "robust/result.h"

namespace txscope {

/// For people: the answer, what it means, the schedule, the cycle, repairs.
[[nodiscard]] std::string robust_text(const robust::RobustReport& report);
/// An array with one element of "results" per question.
[[nodiscard]] nlohmann::ordered_json robust_json(
    const robust::RobustReport& report);
/// The cycles, for Graphviz.
[[nodiscard]] std::string robust_dot(const robust::RobustReport& report);

}  // namespace txscope
