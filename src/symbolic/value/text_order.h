#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/sql/value/value.h"

namespace txscope::symbolic {

/// Numbers for texts, in the order of the texts.  A number that no text of the
/// program has stands for some text between its neighbours.
class TextOrder {
 public:
  /// Of a text of the program; the same text gets the same number.
  [[nodiscard]] std::int64_t number(const sql::Value& text);
  /// The text with that number, or one that stands there: it differs from all
  /// of the program, and of two the larger number has the larger text.
  [[nodiscard]] sql::Value text(std::int64_t number) const;

  /// No text between two of them has fewer characters.
  [[nodiscard]] static std::size_t shortest(const std::string& before,
                                            const std::string& after);

  /// The texts of the program, by their numbers.
  [[nodiscard]] const std::map<std::int64_t, std::string>& texts() const {
    return texts_;
  }

  /// Numbers are within this of zero.
  static constexpr std::int64_t kMost = std::int64_t{1} << 40;

 private:
  static constexpr std::int64_t kStep = std::int64_t{1} << 20;

  std::map<std::string, std::int64_t> numbers_;
  std::map<std::int64_t, std::string> texts_;
};

/// A text that is a uuid, another one for every number from 0 on.
[[nodiscard]] sql::Value uuid_of(std::int64_t number);

}  // namespace txscope::symbolic
