#include "check/weak/closure.h"

#include <algorithm>
#include <bit>

namespace txscope::check {

Closure::Closure(const History& history, const Facts& facts,
                 const Components* components, const std::vector<Node>& sorted)
    : facts_(facts),
      components_(components),
      sorted_(sorted),
      row_of_(history.key_count(), kNothing),
      place_of_(history.size(), kNothing),
      position_(history.size()),
      past_(sorted.size()) {
  for (std::uint32_t i = 0; i < sorted.size(); ++i) position_[sorted[i]] = i;
}

bool Closure::run(std::vector<TxnId> sources, std::vector<Forced>& forced,
                  const Budget& budget) {
  std::sort(sources.begin(), sources.end(), [&](TxnId a, TxnId b) {
    return position_[a.index] < position_[b.index];
  });
  for (std::span<const TxnId> left = sources;
       !left.empty() && !is_contradicted_;) {
    block_ = left.first(std::min(kBits, left.size()));
    left = left.subspan(block_.size());
    if (budget.spent_now() || !run_block(forced, budget)) return false;
  }
  return true;
}

bool Closure::run_block(std::vector<Forced>& forced, const Budget& budget) {
  begin_block();
  bool is_done = true;
  for (std::size_t i = position_[block_.front().index]; i < sorted_.size();
       ++i) {
    is_done = !budget.spent();
    if (!is_done) break;
    if (const TxnId t(sorted_[i]); t != History::kInitial && facts_.counts(t))
      pass(t, forced);
  }
  for (const TxnId t : block_) {
    place_of_[t.index] = kNothing;
    for (const KeyId k : facts_.writes(t)) row_of_[k.index] = kNothing;
  }
  return is_done;
}

void Closure::begin_block() {
  std::fill(past_.begin() + position_[block_.front().index], past_.end(),
            Bits{});
  rows_.clear();
  for (std::uint32_t i = 0; i < block_.size(); ++i) {
    place_of_[block_[i].index] = i;
    set(past(block_[i]), i);
    for (const KeyId k : facts_.writes(block_[i])) {
      auto& row = row_of_[k.index];
      if (row == kNothing) {
        row = static_cast<std::uint32_t>(rows_.size());
        rows_.emplace_back();
      }
      set(rows_[row], i);
    }
  }
}

void Closure::pass(TxnId t3, std::vector<Forced>& forced) {
  const std::uint32_t first = position_[block_.front().index];
  Bits seen{};
  const auto reads = facts_.reads(t3);
  for (const Facts::Read& read : reads) {
    if (position_[read.writer.index] < first) continue;
    for (std::size_t w = 0; w < kWords; ++w) seen[w] |= past(read.writer)[w];
  }
  for (const Facts::Read& read : reads) {
    const auto row = row_of_[read.key.index];
    if (row == kNothing) continue;
    // What t1's own past has is before it anyway.
    const Bits known =
        position_[read.writer.index] < first ? Bits{} : past(read.writer);
    for (std::size_t w = 0; w < kWords; ++w)
      for (auto left = rows_[row][w] & seen[w] & ~known[w]; left != 0;
           left &= left - 1)
        force(block_[64 * w + static_cast<std::size_t>(std::countr_zero(left))],
              read, forced);
  }
  for (std::size_t w = 0; w < kWords; ++w) past(t3)[w] |= seen[w];
}

void Closure::force(TxnId t2, const Facts::Read& read,
                    std::vector<Forced>& forced) {
  const TxnId t1 = read.writer;
  if (components_ != nullptr &&
      components_->of[t1.index] != components_->of[t2.index])
    return;
  forced.push_back({t2, t1, read.op});
  const auto place = place_of_[t1.index];
  is_contradicted_ |=
      t1 == History::kInitial || (place != kNothing && has(past(t2), place));
}

}  // namespace txscope::check
