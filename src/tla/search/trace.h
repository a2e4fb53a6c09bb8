#pragma once

#include <vector>

#include "tla/model.h"
#include "tla/search/worker.h"

namespace txscope::tla {

/// A finite behaviour: its states, and how each is shown.
struct Trace {
  std::vector<std::vector<Value>> states;
  std::vector<TraceState> shown;
};

/// Runs along fingerprints from an initial state and writes down the states.
[[nodiscard]] Trace retrace(Worker& worker,
                            const std::vector<std::uint64_t>& path);

/// The same along states that are known.
[[nodiscard]] Trace retrace(Worker& worker,
                            std::vector<std::vector<Value>> states);

/// Shows the record that ALIAS makes of each state and its successor, instead
/// of the variables.
void apply_alias(Worker& worker, Trace& trace, std::optional<std::size_t> loop);

/// Finds out which messages each step sent and which it needed.
///
/// A variable that holds sets of records in every state is taken for a
/// network.  A step sends the elements that it adds; it receives an element
/// if it could not have been taken, with the same effect, without it.
void add_messages(Worker& worker, Trace& trace);

/// Fills in where PlusCal's labels are written.
void add_labels(const Module& root, Trace& trace);

}  // namespace txscope::tla
