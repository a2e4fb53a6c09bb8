#pragma once

#include <optional>
#include <string>

#include "certify/branch.h"
#include "certify/reading.h"

namespace txscope::certify {

/// What is wrong with a refutation by lemmas; nothing if it is one.  `root` is
/// the branch without assumptions.
[[nodiscard]] std::optional<std::string> complaint_about_lemmas(
    const Branch& root, const Refutation& refutation);

}  // namespace txscope::certify
