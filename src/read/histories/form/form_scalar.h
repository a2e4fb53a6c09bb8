#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "read/histories/form/form.h"
#include "read/histories/form/form_characters.h"
#include "read/scan.h"

namespace txscope::read {

enum class Notation : std::uint8_t { Edn, Json };

/// The value of a number; nothing if it is malformed.  Integers that do not fit
/// into 64 bits, fractions and floats are FormKind::Number.
[[nodiscard]] std::optional<FormNode> to_number(std::string_view word,
                                                Notation notation);

/// Reads a short number that a delimiter ends, as most words of a history are;
/// where it ends, or 0 if there is none.
[[nodiscard]] inline std::size_t short_number(std::string_view text,
                                              std::size_t at, FormNode& node) {
  constexpr std::size_t kDigits = 18;  // that surely fit
  const char* p = text.data() + at;
  const char* const limit = p + std::min(text.size() - at, kDigits);
  std::uint64_t value = 0;
  if (limit - p < static_cast<std::ptrdiff_t>(kShortUintBytes) ||
      !scan_short_uint(p, value))
    for (; p < limit && is_digit(*p); ++p)
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
  const auto end = static_cast<std::size_t>(p - text.data());
  const bool is_short = end > at && p < limit && is_delimiter(*p);
  if (!is_short || (text[at] == '0' && end > at + 1)) return 0;
  node.kind = FormKind::Integer;
  node.integer = static_cast<std::int64_t>(value);
  node.at = node.text = static_cast<std::uint32_t>(at);
  node.size = static_cast<std::uint32_t>(end - at);
  return end;
}

/// The same of an EDN keyword.
[[nodiscard]] inline std::size_t short_keyword(std::string_view text,
                                               std::size_t at, FormNode& node) {
  if (text[at] != ':') return 0;
  std::size_t end = at + 1;
  while (end < text.size() && !is_delimiter(text[end])) ++end;
  if (end == text.size() || end == at + 1) return 0;
  node.kind = FormKind::Keyword;
  node.at = static_cast<std::uint32_t>(at);
  node.text = node.at + 1;
  node.size = static_cast<std::uint32_t>(end - at - 1);
  return end;
}

/// What is wrong with an escape, and where in the text.
struct BadEscape {
  std::size_t at;
  std::string what;
  std::string hint;
};

/// Appends what a string means, given the text between its quotes.
[[nodiscard]] std::optional<BadEscape> unescape(std::string_view text,
                                                Notation notation,
                                                std::string& to);

}  // namespace txscope::read
