#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "check/facts/facts.h"
#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// Makes a proof by lemmas shorter, where it rests on reads that choose among
/// many writers: mostly a few of them contradict each other already.
///
/// Method.  Leaves reads out, in parts that become smaller, and searches anew
/// without them.  What is found is the next proof, and what that does not speak
/// of is left out from then on, too.
///
/// Cost.  A search for each part, none much longer than the last that found
/// something; all together a fixed number of conflicts.
class Shrinker {
 public:
  Shrinker(const History& history, Level level, const Budget& budget);

  /// Which reads the proof does without in the end; nothing if it was left as
  /// it is.
  std::optional<ReadSet> shrink(Refutation& lemmas);

 private:
  std::vector<OpId> take_reads(const Refutation& lemmas);
  [[nodiscard]] std::optional<Refutation> refute(const std::vector<OpId>& kept);

  const History& history_;
  Level level_;
  Budget budget_;
  std::vector<TxnId> txns_;  // of the last proof
  std::uint64_t conflicts_left_;
  std::uint64_t last_conflicts_;
};

}  // namespace txscope::check
