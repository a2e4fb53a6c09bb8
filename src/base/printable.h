#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace txscope {

/// What becomes of the line breaks and tabs in a text of others: in a whole
/// report they are its layout, in a name they would break that layout.
enum class Lines { Keep, Show };

/// The text without effect on a terminal: control characters, and what turns
/// the direction of writing, are shown as escapes (`\x1b`, `\u202e`; with
/// Lines::Show also `\n` and `\t`).
[[nodiscard]] std::string printable(std::string text, Lines lines);

/// What is shown instead of the first character of a text, line breaks and tabs
/// apart; no bytes: that character itself.
struct Escape {
  std::size_t bytes = 0;  ///< of the character
  std::string shown;
};
[[nodiscard]] Escape escape_of(std::string_view text);

}  // namespace txscope
