#pragma once

#include <optional>
#include <string>

#include "certify/branch.h"

namespace txscope {

/// What is wrong with the claim that the cycle, or the read, contradicts the
/// level of the branch; nothing if it does.
[[nodiscard]] std::optional<std::string> complaint_about(const Branch& branch,
                                                         const Cycle& cycle);
[[nodiscard]] std::optional<std::string> complaint_about(const Branch& branch,
                                                         const BadRead& read);

}  // namespace txscope
