#include <optional>

#include "repair/kinds/changes.h"
#include "repair/query_text.h"

namespace txscope::repair {
namespace {

/// The function that makes a range of two values of a type.
std::string_view range_of(const sql::Type& type) {
  switch (type.name) {
    case sql::TypeName::Integer: return "int4range";
    case sql::TypeName::BigInt: return "int8range";
    case sql::TypeName::Numeric: return "numrange";
    case sql::TypeName::Date: return "daterange";
    case sql::TypeName::Timestamp: return "tsrange";
    case sql::TypeName::TimestampTz: return "tstzrange";
    default: return "";
  }
}

/// A column that is below, or above, something else.
struct Limit {
  std::uint32_t column = 0;
  bool is_below = false;
  bool is_closed = false;
};

std::optional<Limit> limit_of(const std::vector<Token>& words, Piece piece,
                              const sql::Table& table) {
  for (std::size_t i = piece.from + 1; i + 1 < piece.to; ++i) {
    const bool is_closed = words[i].is("<=") || words[i].is(">=");
    const bool is_less = words[i].is("<") || words[i].is("<=");
    if (!is_closed && !is_less && !words[i].is(">")) continue;
    const auto left = column_of(table, words[i - 1].word);
    const auto right = column_of(table, words[i + 1].word);
    if (left && i == piece.from + 1 && !right)
      return Limit{*left, is_less, is_closed};
    if (right && i + 2 == piece.to && !left)
      return Limit{*right, !is_less, is_closed};
    return std::nullopt;
  }
  return std::nullopt;
}

/// `a < X AND b > Y` looks for what overlaps [a, b).
std::optional<std::string> range_in(const std::vector<Token>& words,
                                    const QueryText& query) {
  std::optional<Limit> begin;
  std::optional<Limit> end;
  for (const Piece piece : split_at(words, query.where + 1, query.tail, "and"))
    if (const auto limit = limit_of(words, piece, *query.table))
      (limit->is_below ? begin : end) = limit;
  if (!begin || !end || begin->column == end->column) return std::nullopt;
  const auto& columns = query.table->columns;
  const std::string_view range = range_of(columns[begin->column].type);
  if (range.empty() ||
      columns[begin->column].type.name != columns[end->column].type.name)
    return std::nullopt;
  const bool is_closed = begin->is_closed && end->is_closed;
  return std::string(range) + "(" + columns[begin->column].name + ", " +
         columns[end->column].name + (is_closed ? ", '[]'" : "") + ")";
}

}  // namespace

std::vector<Change> exclusions(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::DbStatement* statement : statements_of(problem)) {
    const StatementText text(problem, *statement);
    for (const QueryText& query : queries_in(problem, text.words)) {
      if (query.table == nullptr || !query.has_where()) continue;
      const auto range = range_in(text.words, query);
      if (!range) continue;
      std::string parts;
      for (const Equality& one : equalities_of(problem, text.words, query))
        parts += one.column + " WITH =, ";
      const std::string name = query.table->name;
      Change change;
      change.what = "exclude rows of " + name + " that overlap";
      change.edits = {at_the_end(
          problem, *query.table,
          (parts.empty() ? "ALTER TABLE "
                         : "CREATE EXTENSION IF NOT EXISTS btree_gist;\nALTER "
                           "TABLE ") +
              name + " ADD EXCLUDE USING gist (" + parts + *range +
              " WITH &&)")};
      all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace txscope::repair
