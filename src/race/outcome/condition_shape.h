#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::race {

/// What a condition in SQL is at its outermost, as far as its text tells that
/// without doubt: what a server has to be asked so that people see why it is
/// not true.
struct ConditionShape {
  enum class Kind {
    Comparison,  ///< parts[0] sign parts[1]
    NoRow,       ///< NOT EXISTS (parts[0])
    SomeRow,     ///< EXISTS (parts[0])
    All,         ///< parts, with AND between them
  };
  Kind kind = Kind::Comparison;
  std::vector<std::string> parts;
  std::string sign;
};

/// None: something else, or it cannot be told.
[[nodiscard]] std::optional<ConditionShape> shape_of(
    std::string_view condition);

}  // namespace txscope::race
