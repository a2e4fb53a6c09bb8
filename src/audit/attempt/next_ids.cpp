#include "audit/attempt/next_ids.h"

namespace txscope::audit {

std::int64_t NextIds::fresh(std::uint32_t sequence) {
  std::int64_t& next = next_[sequence];
  while (avoids_named_ && use_->is_named(next)) next += increments_[sequence];
  const std::int64_t taken = next;
  next += increments_[sequence];
  return taken;
}

std::int64_t NextIds::next(std::uint32_t sequence, const sql::LogStatement& by,
                           std::size_t nth) {
  has_any_ = true;
  has_told_ |= use_ == nullptr || use_->is_told(sequence);
  if (use_ == nullptr && !keeps_) return fresh(sequence);
  std::vector<Draw>& drawn = draws_[&by];
  const std::size_t assumed = by.generated.size();
  const std::size_t place = nth - assumed;
  while (drawn.size() <= place) drawn.push_back({sequence, fresh(sequence)});
  // Run elsewhere it may draw from another sequence.
  if (drawn[place].sequence != sequence)
    drawn[place] = {sequence, fresh(sequence)};
  return drawn[place].number;
}

}  // namespace txscope::audit
