#include "tla/pluscal/page.h"

#include <algorithm>

namespace txscope::tla::pluscal {

void Page::mark(const Spot& spot) {
  marks_.push_back({line_, column_ + 1, spot});
}

void Page::put(std::string_view text) {
  mark(spot_);
  text_ += text;
  Piece piece;
  piece.text = text;
  column_ += piece.width();
}

void Page::put(const Formula& formula) {
  if (formula.empty()) return;
  std::uint32_t edge = UINT32_MAX;
  for (const Piece& piece : formula.pieces) edge = std::min(edge, piece.column);
  const std::uint32_t left = column_;
  std::uint32_t line = 0;
  for (const Piece& piece : formula.pieces) {
    for (; line < piece.line; ++line) end_line();
    indent(left + piece.column - edge);
    mark(piece.spot);
    text_ += piece.text;
    column_ += piece.width();
  }
}

void Page::end_line() {
  while (!text_.empty() && text_.back() == ' ') text_.pop_back();
  text_ += '\n';
  ++line_;
  column_ = 0;
}

void Page::indent(std::uint32_t column) {
  for (; column_ < column; ++column_) text_ += ' ';
}

Translation Page::take() {
  Translation result;
  result.text = std::move(text_);
  result.marks = std::move(marks_);
  return result;
}

}  // namespace txscope::tla::pluscal
