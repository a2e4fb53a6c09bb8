#pragma once

#include <cstdint>
#include <string_view>

namespace txscope::report {

/// The first character of UTF-8 text: its bytes, and its columns on a
/// terminal: two for those of East Asia and for pictures, none for accents
/// that go onto the character before (Unicode Standard Annex #11).
struct CharWidth {
  std::size_t bytes = 0;  ///< at least one, of text that is not empty
  std::size_t columns = 0;
};
[[nodiscard]] CharWidth first_char(std::string_view text);

/// How many bytes fit into so many columns.
[[nodiscard]] std::size_t bytes_within(std::string_view text,
                                       std::size_t columns);

}  // namespace txscope::report
