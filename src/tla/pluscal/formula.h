#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tla/syntax/token.h"

namespace txscope::tla::pluscal {

/// One token of an expression, where it stands, and where it came from.
struct Piece {
  std::string text;  ///< as it was written
  TokenKind kind = TokenKind::Symbol;
  bool is_own = false;       ///< `stack` and `pc` that a translation adds
  std::uint32_t line = 0;    ///< counted from the first line of the formula
  std::uint32_t column = 0;  ///< with tabs expanded
  Spot spot;

  [[nodiscard]] std::uint32_t width() const;
};

/// An expression of an algorithm: tokens with their layout, as the meaning of
/// junction lists depends on it.  Nothing is parsed here; the parser of TLA+
/// reads what the translation says.
struct Formula {
  std::vector<Piece> pieces;

  [[nodiscard]] bool empty() const { return pieces.empty(); }
  [[nodiscard]] Spot spot() const;
  /// The text of its first line.
  [[nodiscard]] std::string first_line() const;
  /// All of it on one line, with a space where there was space.
  [[nodiscard]] std::string flat() const;
};

/// `a, b, c`
[[nodiscard]] std::string joined(const std::vector<std::string>& parts,
                                 const std::string& between);

/// Tokens side by side: `[self]`.
[[nodiscard]] Formula formula_of(
    std::initializer_list<std::pair<std::string, TokenKind>> tokens,
    const Spot& spot);

/// Puts formulas in the place of identifiers, other than names of fields.  What
/// was aligned stays aligned: columns right of something that grows move right
/// on every line.
[[nodiscard]] Formula substitute(const Formula& formula,
                                 const std::map<std::string, Formula>& by,
                                 bool in_parentheses);

}  // namespace txscope::tla::pluscal
