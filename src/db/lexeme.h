#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::db {

/// A piece of SQL text.  All bytes of a text are in some piece, in order, so
/// that it can be written again with some of them changed.  Every text has
/// pieces, also one that is no SQL: what is not closed goes to the end.
struct Lexeme {
  enum class Kind : std::uint8_t {
    Blank,
    Comment,
    Text,    ///< '...', with its E, B, X, N or U& if it has one
    Dollar,  ///< $tag$...$tag$
    Name,    ///< "..." or `...`
    Word,    ///< names, keywords, numbers
    Sign,    ///< one byte of anything else
  };
  Kind kind = Kind::Sign;
  std::string_view text;

  [[nodiscard]] bool is_blank() const {
    return kind == Kind::Blank || kind == Kind::Comment;
  }
  [[nodiscard]] bool is_literal() const {
    return kind == Kind::Text || kind == Kind::Dollar;
  }
  /// Whether it is this keyword, in whatever case; `upper` is in capitals.
  [[nodiscard]] bool is(std::string_view upper) const;
  /// Whether it is that sign.
  [[nodiscard]] bool is(char sign) const {
    return kind == Kind::Sign && text[0] == sign;
  }
  /// Of a literal or a name: what it means, without its quotes.
  [[nodiscard]] std::string content() const;
};

[[nodiscard]] std::vector<Lexeme> lexemes(std::string_view sql);

/// Whether a statement has code in quotes, and where.
enum class CodeIn : std::uint8_t {
  None,
  Block,       ///< DO $$ ... $$
  Definition,  ///< CREATE FUNCTION ... AS $$ ... $$
};
[[nodiscard]] CodeIn code_in(const std::vector<Lexeme>& statement);

/// ASCII letters only.
[[nodiscard]] std::string in_capitals(std::string_view word);

}  // namespace txscope::db
