#pragma once

#include <cstdint>
#include <string_view>

namespace txscope {

/// A piece of the user's text: where it starts, and how long it is.
struct Span {
  std::uint32_t line = 0;  ///< from 1
  std::uint32_t column = 0;
  std::uint32_t offset = 0;  ///< into the source
  std::uint32_t length = 0;
};

/// The whole line of `text` that a span starts on.
[[nodiscard]] std::string_view line_at(std::string_view text, Span span);

}  // namespace txscope
