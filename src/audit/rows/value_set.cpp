#include "audit/rows/value_set.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace txscope::audit {
namespace {

using sql::Int128;

std::uint64_t magnitude(Int128 value) {
  return static_cast<std::uint64_t>(value < 0 ? -value : value);
}

void sort_once(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void ValueSet::start(std::int64_t value) { starts_.push_back(value); }

void ValueSet::add(std::int64_t value) {
  if (value != 0) added_.push_back(value);
}

void ValueSet::finish(ValueEffort& effort) {
  if (starts_.empty()) return;
  sort_once(starts_);
  least_ = starts_.front();
  most_ = starts_.back();
  for (const std::int64_t start : starts_)
    divisor_ =
        std::gcd(divisor_, magnitude(Int128(start) - Int128(starts_.front())));
  for (const std::int64_t value : added_) {
    (value < 0 ? least_ : most_) += value;
    divisor_ = std::gcd(divisor_, magnitude(value));
  }
  if (auto all = sums(effort)) few_ = std::move(*all);
}

/// Every start with every choice of what was added; none: too many.
std::optional<std::vector<std::int64_t>> ValueSet::sums(
    ValueEffort& effort) const {
  if (starts_.size() > kFew) return std::nullopt;
  std::vector<std::int64_t> all = starts_;
  std::vector<std::int64_t> shifted;
  std::vector<std::int64_t> both;
  for (const std::int64_t value : added_) {
    if (effort.left < all.size()) return std::nullopt;
    effort.left -= all.size();
    shifted.clear();
    for (const std::int64_t sum : all) {
      std::int64_t more = 0;
      if (__builtin_add_overflow(sum, value, &more)) return std::nullopt;
      shifted.push_back(more);
    }
    both.clear();
    std::set_union(all.begin(), all.end(), shifted.begin(), shifted.end(),
                   std::back_inserter(both));
    if (both.size() > kFew) return std::nullopt;
    all.swap(both);
  }
  return all;
}

bool ValueSet::contains(std::int64_t value) const {
  if (starts_.empty()) return false;
  if (!few_.empty()) return std::binary_search(few_.begin(), few_.end(), value);
  if (value < least_ || value > most_) return false;
  return divisor_ == 0 ||
         magnitude(Int128(value) - Int128(starts_.front())) % divisor_ == 0;
}

}  // namespace txscope::audit
