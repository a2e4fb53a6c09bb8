#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/program.h"

namespace txscope::txn {

enum class TokenKind : std::uint8_t {
  Name,
  Keyword,  ///< a word of the grammar, where it has a meaning; else a name
  Number,   ///< `value`; 2^63 is let through, for -9223372036854775808
  String,   ///< `text` is what stands between the quotes, not yet unescaped
  Symbol,
  Newline,
  End,
};

/// The magnitude of the smallest value, which alone has no positive one.
inline constexpr std::uint64_t kMinMagnitude = std::uint64_t{1} << 63;

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  std::uint64_t value = 0;
  Span at;

  [[nodiscard]] bool is(std::string_view symbol) const {
    return (kind == TokenKind::Symbol || kind == TokenKind::Keyword) &&
           text == symbol;
  }
  /// Something that may be a name.
  [[nodiscard]] bool is_word() const {
    return kind == TokenKind::Name || kind == TokenKind::Keyword;
  }
};

/// The tokens of a `.txn` file, ended by one End; `text` must outlive them.
/// Comments are gone, runs of empty lines are one Newline.
[[nodiscard]] Result<std::vector<Token>> tokenize(const std::string& file,
                                                  std::string_view text);

/// An Error at a span of `text`, with its source line.
[[nodiscard]] Error error_at(const std::string& file, std::string_view text,
                             Span at, std::string what, std::string hint = {});

/// How a token is called in a message: `'{'`, `the end of the line`.
[[nodiscard]] std::string describe(const Token& token);

}  // namespace txscope::txn
