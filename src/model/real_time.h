#pragma once

#include "model/history.h"

namespace txscope {

/// True if t had ended when `other` was invoked, as the recorded times say.
[[nodiscard]] inline bool ended_before(const History& history, TxnId t,
                                       TxnId other) {
  const std::int64_t end = history.at(t).end;
  const std::int64_t start = history.at(other).start;
  return end != Txn::kNoTime && start != Txn::kNoTime && end < start;
}

}  // namespace txscope
