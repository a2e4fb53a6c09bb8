// Statements that a database would refuse, in scripts of which nobody asks that
// each of them is right: migrations of which the first is elsewhere, files of a
// folder in an order that no tool has.

#include <algorithm>

#include "read/sql/file/reader.h"

namespace txscope::sql {
namespace {

bool has_token(const std::vector<Token>& tokens, std::size_t from,
               std::size_t to, std::string_view word) {
  return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(from),
                     tokens.begin() + static_cast<std::ptrdiff_t>(to),
                     [&](const Token& token) { return token.is(word); });
}

/// [schema.]name
QualifiedName name_at(const std::vector<Token>& tokens, std::size_t at,
                      std::size_t to) {
  for (const std::string_view word : {"if", "not", "exists", "only"})
    if (at < to && tokens[at].is(word)) ++at;
  QualifiedName name;
  if (at + 2 < to && tokens[at + 1].is(".")) {
    name.schema = tokens[at].word;
    at += 2;
  }
  if (at < to) name.name = tokens[at].word;
  return name;
}

}  // namespace

/// A statement, or, if the file has not made yet what it needs, its place in
/// the queue of those that are read at the end.
void FileReader::statement_or_later(std::size_t from, std::size_t to) {
  if (!goes_on_) return attempt([&] { statement(from, to); });
  waits_ = may_wait(from, to);
  try {
    statement(from, to);
  } catch (Failure& failure) {
    if (waits_ && !failure.is_there_already)
      waiting_.push_back({from, to, catalog_.path});
    else
      leave_out_mistake(from, to, failure);
  }
  waits_ = false;
}

/// Only what adds something: what is taken away later than the file says could
/// be something else.
bool FileReader::may_wait(std::size_t from, std::size_t to) const {
  const std::vector<Token>& tokens = tokens_.list;
  if (tokens[from].is("insert") || tokens[from].is("copy")) return true;
  if (tokens[from].is("create")) return true;
  return tokens[from].is("alter") && from + 1 < to &&
         tokens[from + 1].is("table") && !has_token(tokens, from, to, "drop") &&
         !has_token(tokens, from, to, "rename");
}

void FileReader::read_what_waits() {
  const SearchPath path = catalog_.path;
  for (bool has_more = true; has_more && !waiting_.empty();) {
    has_more = false;
    waits_ = true;
    std::vector<Waiting> still;
    for (Waiting& one : waiting_) {
      catalog_.path = one.path;
      try {
        statement(one.from, one.to);
        has_more = true;
      } catch (Failure& failure) {
        still.push_back(std::move(one));
      }
    }
    waiting_ = std::move(still);
  }
  waits_ = false;
  for (const Waiting& one : waiting_) {
    catalog_.path = one.path;
    try {
      statement(one.from, one.to);
    } catch (Failure& failure) {
      leave_out_mistake(one.from, one.to, failure);
    }
  }
  catalog_.path = path;
}

/// What is there already stays as it is.
void FileReader::leave_out_mistake(std::size_t from, std::size_t to,
                           const Failure& failure) {
  if (failure.is_there_already)
    mistakes_.push_back(failure.error);
  else
    leave_out_unread(from, to, failure.error);
}

/// Of a statement that nobody can read, what it would have made or changed.
void FileReader::leave_out_unread(std::size_t from, std::size_t to,
                                  const Error& why) {
  mistakes_.push_back(why);
  const std::vector<Token>& tokens = tokens_.list;
  const Span at = source_.span(tokens[from].offset,
                               tokens[to - 1].end() - tokens[from].offset);
  for (std::size_t i = from; i < std::min(to, from + 4); ++i) {
    if (!tokens[from].is("create")) break;
    const bool is_function = tokens[i].is("function");
    if (is_function || tokens[i].is("procedure"))
      return add_broken_routine(name_at(tokens, i + 1, to), is_function, at,
                                why);
    if (!tokens[i].is("table")) continue;
    const QualifiedName name = name_at(tokens, i + 1, to);
    const std::string table = catalog_.new_relation(name.schema, name.name);
    if (!catalog_.table(table)) catalog_.broken.emplace(table, why);
    return;
  }
  std::set<std::size_t> seen;
  if (tokens[from].is("alter") || tokens[from].is("insert") ||
      tokens[from].is("update") || tokens[from].is("delete"))
    break_named_by(source_.text(at), why, seen);
}

}  // namespace txscope::sql
