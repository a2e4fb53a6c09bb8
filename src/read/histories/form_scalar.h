#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "read/histories/form.h"

namespace txscope {

enum class Notation : std::uint8_t { Edn, Json };

/// The value of a number; nothing if it is malformed.  Integers that do not fit
/// into 64 bits, fractions and floats are FormKind::Number.
[[nodiscard]] std::optional<FormNode> to_number(std::string_view word,
                                                Notation notation);

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

}  // namespace txscope
