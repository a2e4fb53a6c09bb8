#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/sql/mysql/state.h"
#include "read/sql/text/constant_rows.h"
#include "read/sql/text/source.h"

namespace txscope::sql {

enum class TokenKind : std::uint8_t {
  Word,    ///< a name or a keyword; `word` is folded to lower case
  Quoted,  ///< "A name"; `word` is what stands between the quotes
  String,  ///< '...', e'...', U&'...', $$...$$; MySQL's has its value as `word`
  Number,
  Symbol,  ///< an operator or a punctuation mark: `word`
};

struct Token {
  TokenKind kind = TokenKind::Symbol;
  bool is_reserved = false;  ///< a Word that can be no column name
  bool is_end = false;       ///< the delimiter of MySQL's client
  std::uint32_t offset = 0;  ///< in the file
  std::uint32_t length = 0;
  std::string word;

  /// A keyword or symbol, written without quotes.
  [[nodiscard]] bool is(std::string_view what) const {
    return (kind == TokenKind::Word || kind == TokenKind::Symbol) &&
           word == what;
  }
  [[nodiscard]] bool is_name() const {
    return kind == TokenKind::Word || kind == TokenKind::Quoted;
  }
  /// INTO behind it names a table.
  [[nodiscard]] bool is_before_table() const {
    return is("insert") || is("merge");
  }
  [[nodiscard]] std::uint32_t end() const { return offset + length; }
};

/// A `--@` comment, its continuation lines included.
struct Comment {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// The tokens of a part of the file, in order.
struct Tokens {
  std::vector<Token> list;
  std::vector<Comment> annotations;
  /// Comments such as `-- @ invariant`, which are none.
  std::vector<Comment> lookalikes;
  /// MySQL: from where on which modes hold.
  std::vector<std::pair<std::uint32_t, MysqlModes>> modes;
  /// MySQL: rows that are no tokens.
  std::vector<InsertedRows> inserts;
};

/// Adds a comment that is an annotation, or looks like one.
void note_comment(Tokens& tokens, std::string_view text, std::uint32_t start,
                  std::string_view comment, std::uint32_t offset);

/// The lexer of the source's dialect on `text`, which stands at `offset` of the
/// file (or is as long as what stands there).  Fails on what it does not read
/// and on text nested so deeply that its parser would need too much stack.
[[nodiscard]] Tokens scan(const Source& source, std::string_view text,
                          std::uint32_t offset);

/// The number of the token that starts at `offset` or is the first after it.
[[nodiscard]] std::size_t token_at(const std::vector<Token>& tokens,
                                   std::uint32_t offset);

}  // namespace txscope::sql
