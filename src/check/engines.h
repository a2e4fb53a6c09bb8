#pragma once

#include "base/budget.h"
#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/history.h"
#include "model/level.h"
#include "model/verdict.h"

// The engines behind check(), one per file.  All of them expect that no bad
// read of `facts` contradicts the level; check() looks at those first.
namespace txscope::check {

/// For histories without open questions; `order` is that of the level.
[[nodiscard]] Verdict check_read_uncommitted(const History& history,
                                             const Facts& facts,
                                             const OrderIndex& order,
                                             const Budget& budget);
[[nodiscard]] Verdict check_read_committed(const History& history,
                                           const Facts& facts,
                                           const OrderIndex& order,
                                           const Budget& budget);
[[nodiscard]] Verdict check_monotonic_atomic_view(const History& history,
                                                  const Facts& facts,
                                                  const OrderIndex& order,
                                                  const Budget& budget);
[[nodiscard]] Verdict check_read_atomic(const History& history,
                                        const Facts& facts,
                                        const OrderIndex& order,
                                        const Budget& budget);
[[nodiscard]] Verdict check_causal(const History& history, const Facts& facts,
                                   const OrderIndex& order,
                                   const Budget& budget);

/// prefix, parallel-snapshot-isolation, snapshot-isolation and serializable;
/// and any level for histories with open questions (Facts::is_open): the
/// writers of reads, the outcomes and the elements of lists are part of the
/// search.
[[nodiscard]] Verdict check_by_search(const History& history,
                                      const Facts& facts,
                                      const OrderIndex& order, Level level,
                                      const Budget& budget);

}  // namespace txscope::check
