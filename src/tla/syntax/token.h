#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tla/syntax/source.h"

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
  std::uint32_t length = 0;  ///< in bytes, as it was written
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

/// The same for definitions without the module around them.
[[nodiscard]] Tokens tokenize_fragment(const Source& source);

/// The tokens of a PlusCal algorithm from byte `begin`, at `spot`, up to the end
/// of the comment that it stands in, or to what is no token: that is `fault`.
struct AlgorithmTokens {
  std::vector<Token> all;  ///< the last one is End
  std::optional<Fault> fault;
};
[[nodiscard]] AlgorithmTokens tokenize_algorithm(const Source& source,
                                                 std::size_t begin);

/// The same for a configuration file, which has no header and no end.
[[nodiscard]] Tokens tokenize_config(const Source& source);

}  // namespace txscope::tla
