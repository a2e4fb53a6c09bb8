#pragma once

#include <cstdint>
#include <vector>

#include "tla/value/value.h"

namespace txscope::tla {

/// What was found lately for two words.  Of fixed size: a new answer takes the
/// place of an older one, so that the answers stay in the caches.
class Recent {
 public:
  Recent() : entries_(1u << kBits) {}

  /// The answer, or none.
  [[nodiscard]] Value find(std::uint64_t a, std::uint64_t b) const {
    const Entry& entry = entries_[place(a, b)];
    return entry.a == a && entry.b == b ? entry.answer : Value();
  }
  void note(std::uint64_t a, std::uint64_t b, Value answer) {
    entries_[place(a, b)] = {a, b, answer};
  }
  void forget() { entries_.assign(entries_.size(), {}); }

 private:
  static constexpr unsigned kBits = 13;
  struct Entry {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    Value answer;
  };
  static std::size_t place(std::uint64_t a, std::uint64_t b) {
    return (a * 0x9e3779b97f4a7c15ull + b * 0xd6e8feb86659fd93ull) >>
           (64 - kBits);
  }

  std::vector<Entry> entries_;
};

}  // namespace txscope::tla
