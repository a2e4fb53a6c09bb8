#include "audit/attempt/choices.h"

#include <algorithm>

namespace txscope::audit {

bool Choices::next() {
  if (runs_++ == 0) return true;
  // Those that the last run did not come to belong to earlier ones.
  wheels_.resize(made_);
  made_ = 0;
  while (!wheels_.empty() && wheels_.back().next >= wheels_.back().options)
    wheels_.pop_back();
  if (wheels_.empty()) return false;
  Wheel& turned = wheels_.back();
  turned.at = turned.next++;
  return true;
}

std::size_t Choices::choose(std::size_t options) {
  if (made_ == wheels_.size()) wheels_.push_back({0, options, 1});
  return wheels_[made_++].at;
}

bool Choices::is_other() const {
  return std::any_of(wheels_.begin(),
                     wheels_.begin() + static_cast<std::ptrdiff_t>(made_),
                     [](const Wheel& wheel) { return wheel.at != 0; });
}

void Choices::go_on_with(std::size_t choice, std::size_t option) {
  Wheel& wheel = wheels_[choice];
  wheel.next = std::max(wheel.next, option);
}

}  // namespace txscope::audit
