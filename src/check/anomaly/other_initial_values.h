#pragma once

#include <vector>

#include "model/evidence.h"
#include "model/history.h"

namespace txscope::check {

/// A register, and what it may have started as.
struct InitialGuess {
  KeyId key;
  Atom value;
};

/// Registers whose reads a different initial value would explain, by key: all
/// their reads among `bad` are out of thin air and saw one and the same value,
/// and nobody read what the history says they start as.  Most formats cannot
/// say how keys start, so this is often the record's fault, not the database's.
[[nodiscard]] std::vector<InitialGuess> other_initial_values(
    const History& history, const std::vector<BadRead>& bad);

/// True if one value will do for every register: all guesses are the same, and
/// no other register was read before it was written.
[[nodiscard]] bool one_value_for_all(const History& history,
                                     const std::vector<InitialGuess>& guesses);

}  // namespace txscope::check
