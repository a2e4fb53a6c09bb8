#pragma once

#include <optional>
#include <string>

#include "certify/branch.h"

namespace txscope::certify {

/// What is wrong with the claim that the cycle, the read or the set contradicts
/// the level of the branch; nothing if it does.
[[nodiscard]] std::optional<std::string> complaint_about(const Branch& branch,
                                                         const Cycle& cycle);
[[nodiscard]] std::optional<std::string> complaint_about(const Branch& branch,
                                                         const BadRead& read);
[[nodiscard]] std::optional<std::string> complaint_about(
    const Branch& branch, const UnfoundedSet& set);

}  // namespace txscope::certify
