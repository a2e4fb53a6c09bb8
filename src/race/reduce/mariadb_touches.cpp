#include "race/reduce/mariadb_touches.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/ascii.h"
#include "db/proxy/statements.h"
#include "race/wire/mariadb_lane.h"

namespace txscope::race {
namespace {

using Access = Footprint::Access;

// What may stand before "(" in a SELECT that only reads.
constexpr auto kPlainWords = std::to_array<std::string_view>(
    {"abs",     "all",     "and",    "any",  "as",       "avg",
     "between", "by",      "cast",   "ceil", "char",     "coalesce",
     "concat",  "convert", "count",  "date", "decimal",  "distinct",
     "else",    "exists",  "floor",  "from", "greatest", "having",
     "if",      "ifnull",  "in",     "is",   "join",     "least",
     "length",  "like",    "lower",  "max",  "min",      "not",
     "now",     "nullif",  "on",     "or",   "over",     "round",
     "select",  "some",    "sum",    "then", "trim",     "union",
     "upper",   "using",   "values", "when", "where",    "with"});

// A lock, a variable, a file: these do more than read.
constexpr auto kOtherWords = std::to_array<std::string_view>(
    {"update", "share", "into", "procedure", "nextval", "for"});

// BEGIN and its like also end what was open, routines may commit in the middle,
// and names of locks outlive that.
constexpr auto kMayCommit = std::to_array<std::string_view>(
    {"BEGIN", "START", "SET", "SELECT", "DO", "CALL", "EXECUTE"});

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_among(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// No lock, no function that is not known, no variable that it sets.
bool is_plain_select(std::string_view sql) {
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i <= sql.size(); ++i) {
    const char c = i < sql.size() && !ascii::is_space(sql[i]) ? sql[i] : ' ';
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') quote = c;
    if (c == ':' || c == '/' || c == '#') return false;
    if (is_word(c)) {
      word += ascii::lower(c);
      continue;
    }
    if (is_among(kOtherWords, word)) return false;
    if (c == '(' && !word.empty() && !is_among(kPlainWords, word)) return false;
    // "take (1)" is a call, too.
    const bool may_be_call = c == ' ' && i + 1 < sql.size() &&
                             (sql[i + 1] == '(' || ascii::is_space(sql[i + 1]));
    if (!may_be_call) word.clear();
  }
  return true;
}

}  // namespace

StatementTouches touches_in_mariadb(const Statement& statement) {
  const std::vector<std::string> words = db::first_words(statement.sql, 3);
  StatementTouches result;
  result.footprint.emplace();
  if (words.empty()) return result;
  const bool ends = is_transaction_end(statement.sql);
  if (ends || words[0] == "ROLLBACK") {
    const bool commits = words[0] == "COMMIT" || words[0] == "END";
    result.control = commits ? Control::Commit : Control::Rollback;
    return result;
  }
  if (is_silent_in_mariadb(statement.sql, true)) {
    result.control = Control::Part;
    return result;
  }
  const bool only_reads =
      words[0] == "SELECT" && is_plain_select(statement.sql);
  result.footprint->add({"", "", only_reads ? Access::Reads : Access::Locks});
  if (!only_reads && is_among(kMayCommit, words[0]))
    result.footprint = Footprint::of_everything();
  return result;
}

}  // namespace txscope::race
