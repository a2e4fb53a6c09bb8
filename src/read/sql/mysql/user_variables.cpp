#include "read/sql/mysql/user_variables.h"

namespace txscope::sql {

bool is_user_variable(const Token& token) {
  return token.kind == TokenKind::Word && token.word.starts_with('@') &&
         !token.word.starts_with("@@");
}

bool only_shows_variables(const std::vector<Token>& tokens, std::size_t from,
                          std::size_t to) {
  if (!tokens[from].is("select")) return false;
  for (std::size_t i = from + 1; i < to; ++i) {
    const bool is_alias =
        tokens[i].is("as") || (i > from + 1 && tokens[i - 1].is("as"));
    if (!is_user_variable(tokens[i]) && !tokens[i].is(",") && !is_alias)
      return false;
  }
  return true;
}

}  // namespace txscope::sql
