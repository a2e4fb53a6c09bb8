#pragma once

#include <algorithm>
#include <vector>

#include "engine/server/state.h"

namespace txscope::engine {

/// What the numbers of commits still tell apart.  Two commits between which
/// nobody took a snapshot, and nothing else remembers, are the same time.
class Times {
 public:
  explicit Times(const State& state) {
    for (const SessionState& session : state.sessions) {
      if (session.snapshot != kNoSnapshot) marks_.push_back(session.snapshot);
      if (session.statement_snapshot != kNoSnapshot)
        marks_.push_back(session.statement_snapshot);
      marks_.insert(marks_.end(), session.nested_snapshots.begin(),
                    session.nested_snapshots.end());
    }
    for (const Ssi::Txn& txn : state.ssi.txns()) {
      if (!txn.is_used) continue;
      marks_.push_back(txn.snapshot);
      if (txn.is_committed) marks_.push_back(txn.commit);
    }
    std::sort(marks_.begin(), marks_.end());
    marks_.erase(std::unique(marks_.begin(), marks_.end()), marks_.end());
  }
  [[nodiscard]] bool empty() const { return marks_.empty(); }
  // Of a commit: how many marks are before it; of a mark its number.
  [[nodiscard]] std::uint64_t of(Stamp stamp) const {
    if (stamp == kNoSnapshot) return ~std::uint64_t{0};
    return static_cast<std::uint64_t>(
        std::lower_bound(marks_.begin(), marks_.end(), stamp) - marks_.begin());
  }
  [[nodiscard]] const std::vector<Stamp>& marks() const { return marks_; }

 private:
  std::vector<Stamp> marks_;
};

}  // namespace txscope::engine
