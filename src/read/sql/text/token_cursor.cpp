#include "read/sql/text/token_cursor.h"

#include <string>

#include "base/ascii.h"

namespace txscope::sql {

const Token& TokenCursor::at(std::size_t i) const {
  static const Token kNothing;
  return i < tokens_.size() ? tokens_[i] : kNothing;
}

Span TokenCursor::here() const {
  if (!is_at_end())
    return source_.span(tokens_[at_].offset, tokens_[at_].length);
  if (tokens_.empty()) return whole_;
  return source_.span(tokens_.back().end(), 0);
}

bool TokenCursor::accept(std::string_view word) {
  if (!is(word)) return false;
  ++at_;
  return true;
}

void TokenCursor::expect(std::string_view word) {
  if (accept(word)) return;
  const std::string found = is_at_end()
                                ? "the end of the routine"
                                : "'" + std::string(source_.text(here())) + "'";
  source_.fail(here(), "expected " + ascii::upper(word) + ", not " + found);
}

}  // namespace txscope::sql
