#pragma once

#include <cstddef>
#include <string_view>

namespace txscope::utf8 {

/// How many bytes of `text`, from its beginning, are well-formed (RFC 3629:
/// no overlong forms, no surrogates, nothing above U+10FFFF).
[[nodiscard]] std::size_t valid_prefix(std::string_view text);

/// `text` without a last character that may only be cut off: at most three
/// bytes less.
[[nodiscard]] std::size_t without_cut_tail(std::string_view text);

[[nodiscard]] constexpr bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}
/// The number of characters in well-formed text.
[[nodiscard]] std::size_t length(std::string_view text);

}  // namespace txscope::utf8
