#pragma once

#include <span>
#include <string>

#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::report {

/// A refutation for people: the transactions it speaks of, with the operations
/// that matter, and why the level forbids it, case by case.
[[nodiscard]] std::string show_refutation(const History& history, Level level,
                                          const Refutation& refutation);

/// What a picture shows: all cases of a tree; of a proof by lemmas, which has
/// no use for people, the simplest.
[[nodiscard]] std::span<const Case> cases_to_draw(const Refutation& refutation);

}  // namespace txscope::report
