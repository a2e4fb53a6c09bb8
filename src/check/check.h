#pragma once

#include <optional>

#include "base/budget.h"
#include "base/result.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope {

/// Decides whether `history` has `level`.  Undecided only if `budget` ended.
/// Realtime order needs start and end times; see missing_times().
[[nodiscard]] Verdict check(const History& history, Level level,
                            const Budget& budget);

/// What keeps a history from being judged at realtime order: a committed
/// transaction without start or end, or two of one session that overlap.
[[nodiscard]] std::optional<Error> missing_times(const History& history);

}  // namespace txscope
