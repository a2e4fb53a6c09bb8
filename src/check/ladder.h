#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::check {

/// The verdict on one of several levels.
struct LadderRow {
  Verdict verdict;
  /// Set if it is violated only because this weaker level, which was asked
  /// for too, is: "also violated".
  std::optional<Level> follows_from;
};

/// Decides several levels of one history, in the order given, with as few
/// searches as the lattice allows: what holds at a level holds at every weaker
/// one with the same commit order, what is violated is violated at every
/// stronger one with the same refutation.  With several jobs the levels from
/// prefix up are decided side by side, as far as they are not settled
/// meanwhile; the answer is the same, and each job needs the memory of one.
/// `on_decided` is called, by this thread, as soon as a level is decided.
[[nodiscard]] std::vector<LadderRow> check_levels(
    const History& history, std::span<const Level> levels, const Budget& budget,
    unsigned jobs = 1,
    const std::function<void(const Verdict&)>& on_decided = {});

}  // namespace txscope::check
