#pragma once

#include <cstddef>
#include <cstdint>

#include "tla/value/word_map.h"

namespace txscope::tla {

/// What code gave for the values that it depends on.  Gives up where these
/// hardly ever repeat.
class Memo {
 public:
  /// Of `width` values; `keeps_all`: what is asked for costs so much that
  /// everything is worth to be kept.
  Memo(std::size_t width, bool keeps_all)
      : map_(width), keeps_all_(keeps_all) {}

  [[nodiscard]] bool is_off() const { return is_off_; }
  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  /// The value for a key, or none.
  [[nodiscard]] Value find(const std::uint64_t* key) {
    ++asked_;
    const Value value = map_.find(key);
    if (!value.is_none()) ++known_;
    return value;
  }
  /// What find() did not know, and how many ticks it took to find out.
  void note(const std::uint64_t* key, Value value, std::uint32_t ticks);
  void forget() { map_.clear(); }

 private:
  WordMap map_;
  bool keeps_all_;
  bool is_off_ = false;
  std::uint64_t asked_ = 0;
  std::uint64_t known_ = 0;
};

}  // namespace txscope::tla
