#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/naive_spec.h"

namespace txscope::test {

/// An infinite behaviour: states, and the one that follows the last.
struct NaiveLasso {
  std::vector<NaiveState> states;
  std::size_t loop = 0;
};

/// A random temporal formula: its text, and its truth at a position of a
/// lasso, computed from the definitions by looking at all later positions.
struct NaiveTemporal {
  std::string text;
  std::function<bool(const NaiveLasso&, std::size_t)> holds_at;
};

[[nodiscard]] NaiveTemporal random_temporal(Random& random, int depth);

/// WF_vars(A) or SF_vars(A), by definition: `enabled` of a state is whether
/// some other state follows it by A.
[[nodiscard]] bool is_fair(
    const NaiveLasso& lasso,
    const std::function<bool(const NaiveState&, const NaiveState&)>& action,
    bool is_strong);

}  // namespace txscope::test
