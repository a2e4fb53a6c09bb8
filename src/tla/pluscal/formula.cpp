#include "tla/pluscal/formula.h"

#include <algorithm>
#include <numeric>

namespace txscope::tla::pluscal {
namespace {

std::uint32_t characters(std::string_view text) {
  return static_cast<std::uint32_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

std::uint32_t left_edge(const Formula& formula) {
  std::uint32_t edge = UINT32_MAX;
  for (const Piece& piece : formula.pieces) edge = std::min(edge, piece.column);
  return edge;
}

std::uint32_t right_edge(const Formula& formula) {
  std::uint32_t edge = 0;
  for (const Piece& piece : formula.pieces)
    edge = std::max(edge, piece.column + piece.width());
  return edge;
}

/// A field of a record: `r.x`, `[x |-> 1]`, `[x : S]`.
bool is_field(const std::vector<Piece>& pieces, std::size_t i) {
  if (i == 0) return false;
  const std::string& before = pieces[i - 1].text;
  if (before == "." || before == "!") return true;
  if ((before != "[" && before != ",") || i + 1 == pieces.size()) return false;
  const std::string& after = pieces[i + 1].text;
  return after == ":" || after == "|->" || after == "↦";
}

}  // namespace

std::uint32_t Piece::width() const { return characters(text); }

Spot Formula::spot() const {
  return pieces.empty() ? Spot{} : pieces.front().spot;
}

std::string Formula::first_line() const {
  std::string line;
  std::uint32_t column = left_edge(*this);
  for (const Piece& piece : pieces) {
    if (piece.line != 0) break;
    if (piece.column > column) line.append(piece.column - column, ' ');
    line += piece.text;
    column = piece.column + piece.width();
  }
  return line;
}

std::string Formula::flat() const {
  std::string text;
  std::uint32_t line = 0;
  std::uint32_t end = left_edge(*this);
  for (const Piece& piece : pieces) {
    if (piece.line != line || piece.column > end) text += ' ';
    text += piece.text;
    line = piece.line;
    end = piece.column + piece.width();
  }
  if (!text.empty() && text.front() == ' ') text.erase(0, 1);
  return text;
}

std::string joined(const std::vector<std::string>& parts,
                   const std::string& between) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : between) + part;
  return text;
}

Formula formula_of(
    std::initializer_list<std::pair<std::string, TokenKind>> tokens,
    const Spot& spot) {
  Formula formula;
  std::uint32_t column = 0;
  for (const auto& [text, kind] : tokens) {
    Piece piece;
    piece.text = text;
    piece.kind = kind;
    piece.column = column;
    piece.spot = spot;
    column += piece.width();
    formula.pieces.push_back(std::move(piece));
  }
  return formula;
}

/// Method.  Every place where something grows is a boundary between columns;
/// what it grows by is the most that any line grows by there.  The new column
/// of a token is its old one and the growth of all boundaries left of it, which
/// keeps the order of columns and their equality.
Formula substitute(const Formula& formula,
                   const std::map<std::string, Formula>& by,
                   bool in_parentheses) {
  const std::vector<Piece>& old = formula.pieces;
  std::vector<const Formula*> replacement(old.size(), nullptr);
  std::map<std::uint32_t, std::uint32_t> growth;  // by boundary
  const auto parenthesized = [&](const Formula& with) {
    return in_parentheses && with.pieces.size() > 1 && old.size() > 1;
  };
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].kind != TokenKind::Identifier || is_field(old, i)) continue;
    const auto found = by.find(old[i].text);
    if (found == by.end()) continue;
    const Formula& with = found->second;
    replacement[i] = &with;
    const std::uint32_t width =
        right_edge(with) - left_edge(with) + (parenthesized(with) ? 2u : 0u);
    if (width <= old[i].width()) continue;
    std::uint32_t& most = growth[old[i].column + old[i].width()];
    most = std::max(most, width - old[i].width());
  }
  const auto moved = [&](std::uint32_t column) {
    return std::accumulate(growth.begin(), growth.upper_bound(column), column,
                           [](std::uint32_t sum, const auto& boundary) {
                             return sum + boundary.second;
                           });
  };
  Formula result;
  std::uint32_t more_lines = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    Piece piece = old[i];
    piece.line += more_lines;
    piece.column = moved(piece.column);
    if (replacement[i] == nullptr) {
      result.pieces.push_back(std::move(piece));
      continue;
    }
    const Formula& with = *replacement[i];
    std::uint32_t column = piece.column;
    const auto parenthesis = [&](std::string text, std::uint32_t at) {
      Piece p = piece;
      p.text = std::move(text);
      p.kind = TokenKind::Symbol;
      p.column = at;
      result.pieces.push_back(std::move(p));
    };
    if (parenthesized(with)) parenthesis("(", column++);
    const std::uint32_t first_line = piece.line;
    const std::uint32_t edge = left_edge(with);
    for (const Piece& inner : with.pieces) {
      Piece put = inner;
      put.line = first_line + inner.line;
      put.column = column + inner.column - edge;
      more_lines += put.line - piece.line;
      piece.line = put.line;
      if (!in_parentheses || with.pieces.size() == 1) put.spot = piece.spot;
      result.pieces.push_back(std::move(put));
    }
    if (parenthesized(with)) parenthesis(")", column + right_edge(with) - edge);
  }
  return result;
}

}  // namespace txscope::tla::pluscal
