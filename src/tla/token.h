#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tla/source.h"

namespace txscope::tla {

/// Of an identifier or number.
[[nodiscard]] constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

enum class TokenKind : std::uint8_t {
  End,
  Identifier,
  Number,
  String,   ///< text without the quotes, escapes not yet replaced
  Keyword,  ///< reserved words: IF, CHOOSE, SUBSET, ...
  Symbol,   ///< operators and brackets, synonyms replaced by one spelling
  Dashes,   ///< ---- or longer
  Equals,   ///< ==== or longer
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Spot spot;
  /// Column with tabs expanded: what junction lists are aligned by.
  std::uint32_t indent = 0;
  bool is_first_on_line = false;
  std::uint32_t offset = 0;  ///< in bytes, where the token begins
};

/// A comment that holds a PlusCal algorithm, or marks its translation.
struct Comment {
  Spot spot;
  std::string_view text;
};

struct Tokens {
  std::vector<Token> all;  ///< the last one is End
  std::vector<Comment> comments;
};

/// Splits the module that begins at the first "---- MODULE" of `source` into
/// tokens; the text before it and after its closing ==== is left out.
/// Synonyms have one spelling afterwards: `\land` is `/\`, `#` is `/=`,
/// `=<` is `<=`, `\union` is `\cup`, `\circ` is `\o`, and so on.
/// Throws Fault.
[[nodiscard]] Tokens tokenize(const Source& source);

/// The same for a configuration file, which has no header and no end.
[[nodiscard]] Tokens tokenize_config(const Source& source);

}  // namespace txscope::tla
