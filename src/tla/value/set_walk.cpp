#include "tla/value/set_walk.h"

#include <algorithm>
#include <numeric>

namespace txscope::tla {

SetWalk::SetWalk(Store& store, const Node& base,
                 std::optional<std::uint32_t> size)
    : store_(store), base_(&base), last_size_(size.value_or(base.size)) {
  at_.resize(size.value_or(0));
  is_over_ = last_size_ > base.size;
}

SetWalk::SetWalk(Store& store, std::vector<const Node*> choices, Value domain)
    : store_(store),
      choices_(std::move(choices)),
      domain_(domain),
      at_(choices_.size(), 0),
      items_(choices_.size()) {
  is_over_ = std::any_of(choices_.begin(), choices_.end(),
                         [](const Node* set) { return set->size == 0; });
}

Value SetWalk::next() {
  if (is_over_) return {};
  return base_ != nullptr ? next_subset() : next_product();
}

/// The next combination of positions, or the first of the next size.
Value SetWalk::next_subset() {
  const std::uint32_t n = base_->size;
  std::size_t k = at_.size();
  if (!is_started_) {
    std::iota(at_.begin(), at_.end(), 0u);
  } else {
    std::size_t i = k;
    while (i > 0 && at_[i - 1] == n - k + i - 1) --i;
    if (i == 0) {
      if (k >= last_size_) {
        is_over_ = true;
        return {};
      }
      at_.resize(++k);
      std::iota(at_.begin(), at_.end(), 0u);
    } else {
      ++at_[i - 1];
      for (; i < k; ++i) at_[i] = at_[i - 1] + 1;
    }
  }
  is_started_ = true;
  items_.resize(k);
  for (std::size_t i = 0; i < k; ++i) items_[i] = base_->items[at_[i]];
  return store_.sorted_set(items_);
}

Value SetWalk::next_product() {
  if (is_started_) {
    std::size_t i = at_.size();
    while (i > 0 && ++at_[i - 1] == choices_[i - 1]->size) at_[--i] = 0;
    if (i == 0) {
      is_over_ = true;
      return {};
    }
  }
  is_started_ = true;
  for (std::size_t i = 0; i < at_.size(); ++i)
    items_[i] = choices_[i]->items[at_[i]];
  return domain_.is_none() ? store_.sequence(items_)
                           : store_.function(domain_, items_);
}

}  // namespace txscope::tla
