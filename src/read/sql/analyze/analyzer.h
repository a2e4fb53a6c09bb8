#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/sql/dialect.h"
#include "read/sql/analyze/names.h"
#include "read/sql/schema/catalog.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

namespace analyzer {
struct Rooms;
}

/// Gives the names and types in a statement their meaning, by PostgreSQL's
/// rules (chapters 10 and 43.11.1 of its manual), and refuses what is not in
/// our fragment.
class Analyzer {
 public:
  Analyzer(const Tree& tree, const Catalog& catalog, const Names* names,
           Lifter* lifter = nullptr);
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// Whose rules of types and order are meant; PostgreSQL's unless told.
  void speak(Dialect dialect);

  /// SELECT, INSERT, UPDATE, DELETE or MERGE.
  [[nodiscard]] DbStatement statement();
  /// The one target of a tree from parse_expression().
  [[nodiscard]] Expr expression();
  /// An expression over the columns of a row (CHECK), or of no table.
  [[nodiscard]] Expr of_row(const Node& node, const Table* table,
                            TableId id = kNone<TableId>);
  /// Of a view, which the tree creates: its columns.
  [[nodiscard]] std::vector<std::pair<std::string, Type>> columns_of(
      const View& view);
  /// The routine of the file that a call means; none has the name: null.
  [[nodiscard]] const Signature* meant(const PgQuery__FuncCall& call);
  /// The arguments of a call, one per parameter: converted, defaults filled in,
  /// OUT parameters of a function NULL.
  /// Those that stand at an offset in `open` are of the parameter's type.
  [[nodiscard]] std::vector<Expr> arguments(
      const PgQuery__FuncCall& call, const Signature& routine,
      const std::set<std::size_t>& open = {});

  [[nodiscard]] bool looks_at_tables() const;
  /// Hands the parts that an expression() has to the statement that runs it.
  void give_parts(DbStatement& statement);
  /// Where variables are named, in ascending order.
  [[nodiscard]] std::vector<DbStatement::Mention> mentions() const;
  /// Where a record IS [NOT] NULL, which has no text for a database.
  [[nodiscard]] std::optional<Span> record_test() const;
  [[nodiscard]] const std::vector<std::uint32_t>& lifted() const;

 private:
  std::unique_ptr<analyzer::Rooms> rooms_;
};

/// The name that PostgreSQL gives to a value that has none; empty: it has none.
[[nodiscard]] std::string title_of(const Node& node);
/// The names of functions that are nothing but their parameters' types.
void add_plain_names(std::vector<std::string>& names);

}  // namespace txscope::sql
