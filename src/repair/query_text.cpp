#include "repair/query_text.h"

#include <algorithm>
#include <array>

#include "read/sql/text/words.h"

namespace txscope::repair {
namespace {

constexpr auto kTails = std::to_array<std::string_view>(
    {"group", "having", "window", "order", "limit", "offset", "fetch", "for",
     "union", "intersect", "except", "lock", "returning"});
constexpr auto kAggregates = std::to_array<std::string_view>(
    {"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every",
     "string_agg", "array_agg", "json_agg", "jsonb_agg", "group_concat"});

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& all, const Token& word) {
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view each) { return word.is(each); });
}

/// Calls `on` with the number of every word in [from, to) that is in no
/// parentheses; ends where `on` is false.
template <class On>
void for_each_outer(const std::vector<Token>& words, std::size_t from,
                    std::size_t to, const On& on) {
  int depth = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (words[i].is(")")) --depth;
    if (depth == 0 && !on(i)) return;
    if (words[i].is("(")) ++depth;
  }
}

/// The parenthesis that ends what begins at `begin`, or the end of all.
std::size_t end_of(const std::vector<Token>& words, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < words.size(); ++i) {
    if (words[i].is("(")) ++depth;
    if (words[i].is(")") && --depth < 0) return i;
  }
  return words.size();
}

bool has_aggregate(const std::vector<Token>& words, const QueryText& query) {
  for (std::size_t i = query.begin + 1; i + 1 < query.from; ++i)
    if (is_one_of(kAggregates, words[i]) && words[i + 1].is("(")) return true;
  return false;
}

/// FROM table [[AS] alias]
void find_table(const Problem& problem, const std::vector<Token>& words,
                QueryText& query) {
  const std::size_t count = query.where - query.from;
  if (count < 2 || count > 4 || !words[query.from + 1].is_name()) return;
  const bool has_as = count == 4 && words[query.from + 2].is("as");
  if (count == 4 && !has_as) return;
  if (count > 2) {
    const Token& alias = words[query.from + count - 1];
    if (!alias.is_name()) return;
    query.alias = alias.word;
  }
  query.table = table_named(problem, words[query.from + 1].word);
}

QueryText query_at(const Problem& problem, const std::vector<Token>& words,
                   std::size_t begin) {
  QueryText query;
  query.begin = begin;
  query.end = query.from = query.where = query.tail = end_of(words, begin);
  for_each_outer(words, begin + 1, query.end, [&](std::size_t i) {
    const bool starts_from =
        words[i].is("from") && !words[i - 1].is("distinct");
    if (starts_from && query.from == query.end) query.from = i;
    if (words[i].is("where") && query.where == query.end) query.where = i;
    if (!is_one_of(kTails, words[i])) return true;
    query.tail = i;
    return false;
  });
  query.where = std::min(query.where, query.tail);
  query.from = std::min(query.from, query.where);
  for_each_outer(words, query.tail, query.end, [&](std::size_t i) {
    query.is_locked =
        query.is_locked || words[i].is("for") || words[i].is("lock");
    query.has_limit = query.has_limit || words[i].is("limit");
    for (const std::string_view joins :
         {"group", "having", "window", "union", "intersect", "except"})
      query.is_grouped = query.is_grouped || words[i].is(joins);
    return true;
  });
  query.is_grouped = query.is_grouped || has_aggregate(words, query) ||
                     (begin + 1 < query.end && words[begin + 1].is("distinct"));
  find_table(problem, words, query);
  return query;
}

}  // namespace

StatementText::StatementText(const Problem& problem,
                             const sql::DbStatement& statement) {
  words = sql::words_of(problem.text, statement.at.offset,
                        statement.at.offset + statement.at.length,
                        problem.is_mysql);
  if (statement.into) {
    const Span into = *statement.into;
    std::erase_if(words, [&](const Token& word) {
      return word.offset >= into.offset &&
             word.offset < into.offset + into.length;
    });
  }
  while (!words.empty() && words.back().is(";")) words.pop_back();
}

std::string joined_text(const Problem& problem, const std::vector<Token>& words,
                        std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    if (i > from && words[i].offset > words[i - 1].end()) text += ' ';
    text += problem.text.substr(words[i].offset, words[i].length);
  }
  return text;
}

std::vector<QueryText> queries_in(const Problem& problem,
                                  const std::vector<Token>& words) {
  std::vector<QueryText> all;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].is("select") || (i == 0 && words[i].is("perform")))
      all.push_back(query_at(problem, words, i));
  return all;
}

std::vector<Piece> split_at(const std::vector<Token>& words, std::size_t from,
                            std::size_t to, std::string_view word) {
  std::vector<Piece> pieces = {{from, to}};
  bool is_safe = true;
  for_each_outer(words, from, to, [&](std::size_t i) {
    is_safe = is_safe && !words[i].is("between") && !words[i].is("case");
    if (words[i].is(word)) {
      pieces.back().to = i;
      pieces.push_back({i + 1, to});
    }
    return true;
  });
  if (!is_safe) return {{from, to}};
  return pieces;
}

std::optional<std::uint32_t> column_of(const sql::Table& table,
                                       const std::string& name) {
  for (std::uint32_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].name == name) return c;
  return std::nullopt;
}

const sql::Table* table_named(const Problem& problem, const std::string& name) {
  for (const sql::Table& table : problem.application->schema.tables)
    if (table.name == name) return &table;
  return nullptr;
}

std::optional<Equality> equality_of(const Problem& problem,
                                    const std::vector<Token>& words,
                                    Piece piece, const sql::Table& table,
                                    const std::string& alias) {
  const std::vector<Piece> sides = split_at(words, piece.from, piece.to, "=");
  if (sides.size() != 2) return std::nullopt;
  const std::string& known_as = alias.empty() ? table.name : alias;
  // The column that a side is; empty: it is something else.
  const auto column = [&](Piece side) -> std::string {
    const std::size_t count = side.to - side.from;
    const bool is_qualified = count == 3 && words[side.from + 1].is(".") &&
                              words[side.from].word == known_as;
    if (count != 1 && !is_qualified) return "";
    const Token& name = words[side.to - 1];
    return name.is_name() && column_of(table, name.word) ? name.word : "";
  };
  const bool is_right = column(sides[0]).empty();
  const Piece value = sides[is_right ? 0 : 1];
  Equality found;
  found.column = column(sides[is_right ? 1 : 0]);
  if (found.column.empty() || !column(value).empty()) return std::nullopt;
  for (std::size_t i = value.from; i < value.to; ++i) {
    if (words[i].is("select") || words[i].is("or")) return std::nullopt;
    const bool is_member = i > value.from && words[i - 1].is(".");
    found.is_outside = found.is_outside || is_member;
    if (!is_member && words[i].is_name() && column_of(table, words[i].word))
      return std::nullopt;
  }
  found.is_constant = value.to == value.from + 1 &&
                      (words[value.from].kind == sql::TokenKind::Number ||
                       words[value.from].kind == sql::TokenKind::String);
  found.value = joined_text(problem, words, value.from, value.to);
  return found;
}

std::vector<Equality> equalities_of(const Problem& problem,
                                    const std::vector<Token>& words,
                                    const QueryText& query) {
  std::vector<Equality> all;
  if (query.table == nullptr || !query.has_where()) return all;
  for (const Piece piece : split_at(words, query.where + 1, query.tail, "and"))
    if (auto one =
            equality_of(problem, words, piece, *query.table, query.alias))
      all.push_back(std::move(*one));
  return all;
}

}  // namespace txscope::repair
