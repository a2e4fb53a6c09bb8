#include "repair/routine_text.h"

#include <algorithm>

#include "read/sql/text/words.h"

namespace txscope::repair {
namespace {

using sql::Token;

struct Bytes {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// What stands between the dollar quotes of a routine, else all of it.
Bytes body_of(std::string_view text, Span at) {
  const std::string_view whole = text.substr(at.offset, at.length);
  const std::size_t open = whole.find('$');
  const std::size_t tag =
      open == std::string_view::npos ? open : whole.find('$', open + 1);
  if (tag == std::string_view::npos)
    return {at.offset, at.offset + whole.size()};
  const std::string_view quote = whole.substr(open, tag + 1 - open);
  const std::size_t close = whole.find(quote, tag + 1);
  if (close == std::string_view::npos)
    return {at.offset, at.offset + whole.size()};
  return {at.offset + tag + 1, at.offset + close};
}

/// Words behind which a statement begins.
bool opens_statement(const Token& word) {
  for (const std::string_view each :
       {";", "begin", "then", "else", "loop", "do", "repeat", ">>"})
    if (word.is(each)) return true;
  return false;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

RoutineText::RoutineText(const Problem& problem, const sql::Routine& routine)
    : problem_(problem), is_plpgsql_(!problem.is_mysql && !routine.is_script) {
  if (routine.at.offset + routine.at.length > problem.text.size()) return;
  const Bytes body =
      problem.is_mysql
          ? Bytes{routine.at.offset, routine.at.offset + routine.at.length}
          : body_of(problem.text, routine.at);
  words_ = sql::words_of(problem.text, body.from, body.to, problem.is_mysql);
}

std::size_t RoutineText::at(std::size_t offset) const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (words_[i].offset == offset) return i;
  return words_.size();
}

std::optional<std::size_t> RoutineText::start_of(std::size_t offset) const {
  std::size_t i = at(offset);
  if (i == words_.size()) return std::nullopt;
  // THEN and ELSE of a CASE expression open no statement.
  int cases = 0;
  for (; i > 0; --i) {
    const Token& word = words_[i - 1];
    if (word.is("end")) ++cases;
    if (word.is("case")) --cases;
    if (opens_statement(word) && (cases <= 0 || word.is(";"))) break;
  }
  return words_[i].offset;
}

std::optional<std::size_t> RoutineText::first_statement() const {
  std::size_t i = 0;
  while (i < words_.size() && !words_[i].is("begin")) ++i;
  if (i + 1 >= words_.size()) return std::nullopt;
  ++i;
  if (words_[i].is("not") && i + 2 < words_.size()) i += 2;  // NOT ATOMIC
  while (i < words_.size() && words_[i].is("declare")) {
    while (i < words_.size() && !words_[i].is(";")) ++i;
    ++i;
  }
  if (i >= words_.size()) return std::nullopt;
  return words_[i].offset;
}

std::optional<std::size_t> RoutineText::end_of(std::size_t first) const {
  for (std::size_t i = first; i < words_.size(); ++i)
    if (words_[i].is(";")) return words_[i].end();
  return std::nullopt;
}

std::optional<RoutineText::If> RoutineText::if_at(std::size_t offset) const {
  const std::size_t first = at(offset);
  if (first == words_.size() || !words_[first].is("if")) return std::nullopt;
  If found;
  found.condition = first + 1;
  int depth = 1;
  for (std::size_t i = first + 1; i < words_.size(); ++i) {
    if (found.then == 0 && words_[i].is("then")) found.then = i;
    if (!words_[i].is("if")) continue;
    if (words_[i - 1].is("end")) {
      if (--depth > 0) continue;
      const auto end = end_of(i);
      if (!end || found.then == 0) return std::nullopt;
      found.end = *end;
      return found;
    }
    if (opens_statement(words_[i - 1])) ++depth;
  }
  return std::nullopt;
}

std::optional<std::string> RoutineText::indent(std::size_t offset) const {
  std::size_t begin = offset;
  while (begin > 0 && is_space(problem_.text[begin - 1])) --begin;
  if (begin > 0 && problem_.text[begin - 1] != '\n') return std::nullopt;
  return std::string(problem_.text.substr(begin, offset - begin));
}

Edit RoutineText::in_front(std::size_t start,
                           const std::string& statement) const {
  const auto space = indent(start);
  if (!space) return {start, 0, statement + "; "};
  std::string text = statement;
  const std::size_t where = text.find(" WHERE ");
  if (space->size() + text.size() >= kLineWidth && where != std::string::npos)
    text.replace(where, 1, "\n" + *space + "  ");
  return {start, 0, text + ";\n" + *space};
}

std::optional<Edit> RoutineText::before(std::size_t offset,
                                        const std::string& statement) const {
  const auto start = start_of(offset);
  if (!start) return std::nullopt;
  return in_front(*start, statement);
}

std::optional<Edit> RoutineText::at_start(const std::string& statement) const {
  const auto start = first_statement();
  if (!start) return std::nullopt;
  return in_front(*start, statement);
}

Edit RoutineText::without(std::size_t from, std::size_t to) const {
  const std::string_view text = problem_.text;
  std::size_t end = to;
  while (end < text.size() && is_space(text[end])) ++end;
  const auto space = indent(from);
  const bool fills_lines = space && end < text.size() && text[end] == '\n';
  if (fills_lines) {
    from -= space->size();
    to = end + 1;
  } else if (!space) {
    // A space on one side of it is enough.
    to = end;
  }
  return {from, to - from, ""};
}

std::string RoutineText::locking_query(const std::string& rest) const {
  return (is_plpgsql_ ? "PERFORM 1 " : "SELECT 1 ") + rest + " FOR UPDATE";
}

std::optional<Edit> lock_before(const Problem& problem,
                                const sql::DbStatement& statement,
                                const std::string& rest) {
  const sql::Routine* routine = routine_with(problem, statement);
  if (routine == nullptr) return std::nullopt;
  const RoutineText text(problem, *routine);
  if (auto edit = text.before(statement.at.offset, text.locking_query(rest)))
    return edit;
  // A script in a comment has no body of its own.
  if (!routine->is_script || statement.is_expression) return std::nullopt;
  return Edit{statement.at.offset, 0, text.locking_query(rest) + "; "};
}

}  // namespace txscope::repair
