#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {

/// The tokens of an algorithm, and what both syntaxes make of a few of them: P
/// (`begin ... end`) and C (braces).  Expressions are runs of tokens that end
/// at a delimiter.
class TokenReader {
 protected:
  TokenReader(const Source& source, std::size_t begin)
      : source_(source), tokens_(tokenize_algorithm(source, begin)) {}

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_.all[std::min(next_ + ahead, tokens_.all.size() - 1)];
  }
  [[nodiscard]] bool at(std::string_view text, std::size_t ahead = 0) const;
  const Token& take();
  bool accept(std::string_view text);
  [[noreturn]] void unexpected(const std::string& wanted) const;
  void expect(std::string_view text);
  std::string identifier(const std::string& what);
  void semicolon();
  void comma_or_semicolon();
  bool equal_or_in();
  void open_body();
  void close_body(std::string_view word);
  Formula formula(const std::string& of);
  /// Whether it begins or ends a statement, and so is no label.
  [[nodiscard]] static bool is_statement_word(std::string_view word);

  bool is_c_ = false;

 private:
  [[nodiscard]] Piece piece_of(const Token& token,
                               std::uint32_t first_line) const;

  const Source& source_;
  AlgorithmTokens tokens_;
  std::size_t next_ = 0;
};

}  // namespace txscope::tla::pluscal
