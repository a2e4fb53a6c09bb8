#pragma once

#include <string>
#include <string_view>

#include "model/anomaly.h"
#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// The name of what a refutation shows; of several cases, what fits them all.
/// `at_least` is an order that it is known to need: it may stand behind steps
/// that a single edge does not show.
[[nodiscard]] Anomaly anomaly_of(const History& history, Level level,
                                 const Refutation& refutation,
                                 Order at_least = Order::None);

/// "so", "rt", "wr", "ww", "rw".
[[nodiscard]] std::string_view edge_letters(EdgeKind kind);

/// Why an edge is there, or why a read is impossible, in one sentence with
/// keys, values, transactions and places.
[[nodiscard]] std::string reason(const History& history, const Edge& edge);
[[nodiscard]] std::string reason(const History& history, const BadRead& bad);
[[nodiscard]] std::string reason(const History& history,
                                 const UnfoundedSet::Member& member);
/// True if a list read has an element more often than it was appended.
[[nodiscard]] bool is_repeated(const History& history, const BadRead& bad);
/// True if a read saw what was written only after it had ended.
[[nodiscard]] bool is_of_a_later_write(const History& history,
                                       const BadRead& bad);
/// What the reasons of all members come to.
[[nodiscard]] std::string conclusion(const UnfoundedSet& set);

}  // namespace txscope::check
