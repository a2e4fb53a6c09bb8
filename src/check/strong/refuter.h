#pragma once

#include <cstddef>
#include <optional>

#include "base/budget.h"
#include "check/strong/case_world.h"
#include "model/evidence.h"

namespace txscope::check {

/// Writes down why an excerpt contradicts its level: a tree of case splits
/// with a cycle or an impossible read at each leaf (evidence.h).
///
/// Method.  If the case contradicts itself, it is a leaf.  Otherwise ask the
/// question of which all answers but one (better: all) contradict themselves
/// at once, or else one after which another settles the matter, or else the
/// one with the fewest answers left, and go on with those.  Afterwards each
/// split on which the answer below does not depend is dropped, so that mostly a
/// single cycle remains.
///
/// Nothing if the excerpt does not contradict the level, if the tree would
/// have more than `max_cases` leaves, or if the budget ended.
[[nodiscard]] std::optional<Refutation> refute(const Excerpt& excerpt,
                                               std::size_t max_cases,
                                               const Budget& budget);

}  // namespace txscope::check
