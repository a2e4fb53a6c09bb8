#include "read/sql/text/older_words.h"

namespace txscope::sql {

std::string in_older_words(const Source& source,
                           const std::vector<Token>& tokens, Span span) {
  std::string text(source.text(span));
  const std::size_t first = token_at(tokens, span.offset);
  const auto is_in = [&](std::size_t i) {
    return i < tokens.size() && tokens[i].offset < span.offset + span.length;
  };
  const auto put = [&](const Token& from, std::uint32_t end,
                       std::string_view what) {
    const std::size_t at = from.offset - span.offset;
    const std::size_t length = end - from.offset;
    text.replace(at, length,
                 std::string(what) + std::string(length - what.size(), ' '));
  };
  bool has_any = false;
  for (std::size_t i = first; is_in(i); ++i) {
    if (tokens[i].is("virtual") && i > first && tokens[i - 1].is(")")) {
      put(tokens[i], tokens[i].end(), "STORED");
      has_any = true;
    }
    const bool has_options =
        (tokens[first].is("grant") || tokens[first].is("revoke")) &&
        i > first && tokens[i].is("with");
    if (has_options) {
      std::size_t end = i;
      while (is_in(end + 1) && !tokens[end + 1].is(";")) ++end;
      put(tokens[i], tokens[end].end(), "");
      return text;
    }
  }
  return has_any ? text : std::string();
}

}  // namespace txscope::sql
