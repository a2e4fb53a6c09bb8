#pragma once

#include <optional>
#include <vector>

#include "audit/attempt/load.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Decides a log that one pass in the order of time did not explain: looks for
/// proofs that nothing does (Proof), for an order that what was read leaves
/// open, and at last tries all orders.  `stuck` is where the pass ended.
[[nodiscard]] Found decide(const LoadedLog& log, const AuditLevel& level,
                           const std::optional<FirstBad>& stuck,
                           const Budget& budget);

/// What each of the ways that can only refute finds, asked by itself.
[[nodiscard]] std::vector<Found> refutations(const LoadedLog& log,
                                             const AuditLevel& level,
                                             const Budget& budget);

}  // namespace txscope::audit
