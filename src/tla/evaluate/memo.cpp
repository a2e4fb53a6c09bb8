#include "tla/evaluate/memo.h"

namespace txscope::tla {

void Memo::note(const std::uint64_t* key, Value value, std::uint32_t ticks) {
  if (keeps_all_) return map_.insert(key, value);
  // Keys that hardly ever repeat are not worth the memory, nor is what took no
  // loop and no call, such as the end of a recursion.
  constexpr std::uint64_t kTrial = 50'000;
  if (asked_ % kTrial == 0 && known_ * 10 < asked_) {
    is_off_ = true;
    return map_.clear();
  }
  if (ticks <= 1) return;
  // Where few repeat, those that do are recent: a map that fits into the
  // caches finds them.
  constexpr std::size_t kFew = std::size_t{1} << 14u;
  if (map_.size() >= kFew && known_ * 10 < asked_ * 3) map_.clear();
  map_.insert(key, value);
}

}  // namespace txscope::tla
