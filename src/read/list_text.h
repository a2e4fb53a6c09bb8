#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace txscope::read {

/// How a list is written that was read before.  Lists grow, so most reads of
/// one repeat what an earlier one has; comparing texts is several times faster
/// than reading the elements again (bench_check, lists).
class ListText {
 public:
  struct Known {
    std::size_t bytes = 0;
    std::size_t elements = 0;
    bool is_whole = false;  ///< a ']' follows; else all that is known was met
  };

  /// What is known of a list, given what follows its '['.
  [[nodiscard]] Known beginning_of(std::string_view text) const;
  [[nodiscard]] std::size_t size() const { return ends_.size(); }

 private:
  friend class ListTexts;
  std::string text_;                 // without brackets
  std::vector<std::uint32_t> ends_;  // of the elements, in the text
};

/// The longest list of each key, as far as that is worth its memory.
class ListTexts {
 public:
  [[nodiscard]] const ListText& of(KeyId key);
  /// All that is known of a key's list goes on with this text, whose elements
  /// end at these places in it.
  void learn(KeyId key, std::string_view rest,
             std::span<const std::uint32_t> ends);

 private:
  std::vector<ListText> lists_;  // by key
  std::size_t bytes_ = 0;        // of all texts
};

}  // namespace txscope::read
