// Variables whose text is known wherever EXECUTE uses them.

#include "read/sql/plpgsql/rooms/commands.h"

namespace txscope::sql::plpgsql {
namespace {

/// Where a statement can begin.
bool begins_behind(const Token& token) {
  return token.is(";") || token.is("begin") || token.is("then") ||
         token.is("else") || token.is("loop") || token.is("declare");
}

/// Whether the token, which follows INTO or a comma, is a target of INTO, FOR,
/// FOREACH or CALL: it gets a value there that nobody knows.
bool is_target(const std::vector<Token>& tokens, std::size_t i) {
  if (i == 0) return false;
  const Token& before = tokens[i - 1];
  if (before.is("into") || before.is("strict") || before.is("for") ||
      before.is("foreach") || before.is("diagnostics"))
    return true;
  for (std::size_t k = i; k-- > 0 && !begins_behind(tokens[k]);) {
    if (tokens[k].is("call")) return true;
    if (before.is(",") && tokens[k].is("into")) return true;
    if (before.is(",") && (tokens[k].is("from") || tokens[k].is("using")))
      return false;
  }
  return false;
}

/// Whether who comes to `use` has passed `assignment`: no block that was open
/// there has ended, and no other branch began.
bool dominates(const std::vector<Token>& tokens, std::size_t assignment,
               std::size_t use) {
  int depth = 0;
  for (std::size_t i = assignment; i < use; ++i) {
    const Token& token = tokens[i];
    if (token.is("end")) {
      if (--depth < 0) return false;
      // END IF, END LOOP, END CASE
      if (i + 1 < use && !tokens[i + 1].is(";")) ++i;
    } else if (token.is("if") || token.is("loop") || token.is("case") ||
               token.is("begin")) {
      ++depth;
    } else if (depth == 0 &&
               (token.is("else") || token.is("elsif") || token.is("elseif") ||
                token.is("when") || token.is("exception"))) {
      return false;
    }
  }
  return true;
}

}  // namespace

/// The text of a variable that one place alone gives a value, a constant one,
/// before `use`.
std::optional<std::string> Commands::known_text(const std::string& name,
                                                std::size_t use) const {
  std::size_t count = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (!tokens_[i].is_name() || tokens_[i].word != name) continue;
    if (is_target(tokens_, i)) return std::nullopt;
    if (i > 0 && !begins_behind(tokens_[i - 1])) continue;
    // x := text;   x [CONSTANT] text := text;
    std::size_t k = i + 1;
    while (k < tokens_.size() && !tokens_[k].is(";") && !tokens_[k].is(":=") &&
           !tokens_[k].is("=") && !tokens_[k].is("default"))
      ++k;
    if (k >= tokens_.size() || tokens_[k].is(";")) continue;
    ++count;
    from = k + 1;
  }
  std::size_t to = from;
  while (to < tokens_.size() && !tokens_[to].is(";")) ++to;
  // Behind its end: the value may be made of other variables, never of itself.
  if (count != 1 || to > use || !dominates(tokens_, from, use))
    return std::nullopt;
  return fixed_text(from, to);
}

}  // namespace txscope::sql::plpgsql
