#pragma once

#include <string>

#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope {

/// A refutation for people: the transactions it speaks of, with the operations
/// that matter, and why the level forbids it, case by case.
[[nodiscard]] std::string show_refutation(const History& history, Level level,
                                          const Refutation& refutation);

}  // namespace txscope
