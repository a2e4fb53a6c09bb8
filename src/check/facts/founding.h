#pragma once

#include <optional>

#include "base/budget.h"
#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::check {

/// Read-committed of a history with open questions, in linear time.
///
/// Definition.  Some choice of outcomes and writers leaves wr + order without
/// a cycle.
///
/// Method.  Place transactions one after the other: one may be placed as soon
/// as what precedes it by the order is placed and each of its reads has a
/// possible writer that is.  Placing one never prevents another, so it does
/// not matter which comes first, and what cannot be placed at the end is an
/// unfounded set (Van Gelder, Ross and Schlipf, JACM 1991): the first of it in
/// a commit order would have read from somebody later.
///
/// An open outcome may go both ways.  A transaction that need not have
/// committed is no reason to wait: so what is unfounded then is so in any
/// case.  For a witness those are dropped that were overtaken in their session.
///
/// Answer.  Holds with the order of placing; violated with the smallest
/// unfounded set that is closed; nothing if lists or outcomes are open in a way
/// that this does not decide.
[[nodiscard]] std::optional<Verdict> check_founding(const History& history,
                                                    const Facts& facts,
                                                    const OrderIndex& order,
                                                    const Budget& budget);

}  // namespace txscope::check
