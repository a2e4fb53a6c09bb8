#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/sql/schema.h"
#include "read/sql/text/token.h"
#include "repair/problem.h"

namespace txscope::repair {

using sql::Token;

/// A statement of the text, word by word, without INTO and its targets.
struct StatementText {
  std::vector<Token> words;

  StatementText(const Problem& problem, const sql::DbStatement& statement);
  /// Behind the last word.
  [[nodiscard]] std::size_t end() const { return words.back().end(); }
};

/// The text of words [from, to), on one line.
[[nodiscard]] std::string joined_text(const Problem& problem,
                                      const std::vector<Token>& words,
                                      std::size_t from, std::size_t to);

/// `column = value` in a condition, the value being no column of the query's
/// own table.
struct Equality {
  std::string column;
  std::string value;
  bool is_constant = false;  ///< one number or text
  bool is_outside = false;   ///< names a table of a query around
};

/// A query as it is written, anywhere in a statement: numbers of words.  A part
/// that is missing begins where the next one does.
struct QueryText {
  std::size_t begin = 0;  ///< SELECT or PERFORM
  std::size_t from = 0;
  std::size_t where = 0;
  std::size_t tail = 0;  ///< GROUP BY, ORDER BY, LIMIT, FOR UPDATE, ...
  std::size_t end = 0;
  bool is_grouped = false;  ///< aggregates, DISTINCT, GROUP BY, UNION
  bool is_locked = false;
  bool has_limit = false;
  /// The only table in FROM; null: there are more, or it is none of the schema.
  const sql::Table* table = nullptr;
  std::string alias;  ///< of that table; empty: none

  [[nodiscard]] bool has_where() const { return where < tail; }
};

/// All of them, a query before those inside it.
[[nodiscard]] std::vector<QueryText> queries_in(
    const Problem& problem, const std::vector<Token>& words);

/// Conditions that AND joins: words [from, to) each.  One that no AND parts
/// safely (BETWEEN) is one.
struct Piece {
  std::size_t from = 0;
  std::size_t to = 0;
};
[[nodiscard]] std::vector<Piece> split_at(const std::vector<Token>& words,
                                          std::size_t from, std::size_t to,
                                          std::string_view word);

/// What the WHERE of a query of one table says of its columns' values.
[[nodiscard]] std::vector<Equality> equalities_of(
    const Problem& problem, const std::vector<Token>& words,
    const QueryText& query);

/// The same for any condition over a table: words [from, to).
[[nodiscard]] std::optional<Equality> equality_of(
    const Problem& problem, const std::vector<Token>& words, Piece piece,
    const sql::Table& table, const std::string& alias);

/// The column's number in a table, by its name.
[[nodiscard]] std::optional<std::uint32_t> column_of(const sql::Table& table,
                                                     const std::string& name);
[[nodiscard]] const sql::Table* table_named(const Problem& problem,
                                            const std::string& name);

}  // namespace txscope::repair
