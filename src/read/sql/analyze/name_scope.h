#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/sql/builtin.h"
#include "model/sql/dialect.h"
#include "read/sql/analyze/names.h"
#include "read/sql/schema/catalog.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/tree.h"

namespace txscope::sql::analyzer {

struct ColumnName {
  std::string name;
  Type type;
  bool is_merged = false;  // by USING into one of the same name before
  bool is_moved = false;   // to the front of its join by USING
  // Relations and columns that a FULL JOIN has merged into this one: without
  // its table it is the first of them that is not NULL.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others = {};
};

/// What * stands for: a relation's columns that stand nowhere else, or one
/// column.
struct StarItem {
  std::uint32_t relation = 0;
  std::optional<std::uint32_t> column;
};

struct RelationNames {
  std::string name;
  std::vector<ColumnName> columns;
  TableId table = kNone<TableId>;
  bool is_visible = true;    // false: not in the part of FROM we are in
  bool is_nullable = false;  // a side that an outer join may lack
  bool is_subquery = false;
  bool is_scalar = false;  // a function whose name is its one column, too
};

/// What aggregates are told when they may not stand somewhere.
enum class Clause : std::uint8_t {
  Target,
  Where,
  On,
  GroupBy,
  Having,
  OrderBy,
  Limit,
  Values,
  Set,
  Returning,
  Check,
  Aggregate,
  Window,
};
[[nodiscard]] std::string_view clause_name(Clause clause);
/// With dots, as it was written.
[[nodiscard]] std::string joined(std::span<const std::string> name);

struct OpenQuery {
  std::vector<RelationNames> relations;
  std::vector<StarItem> star_order;  // as FROM names them
  std::vector<Aggregate> aggregates;
  std::vector<WindowCall> windows;
  NodeList named_windows;  // of WINDOW
  bool has_aggregate = false;
  Query* query = nullptr;   // while its columns are read
  bool gives_rows = false;  // one of them is a function that does
  Clause clause = Clause::Target;
};

struct WrittenView {
  std::shared_ptr<const Table> shape;  // with the view's names
  std::vector<std::uint32_t> columns;  // that it shows
  std::optional<Expr> where;
};

/// A statement inside of this one that runs by itself.
struct Part {
  const void* node = nullptr;  // what it is made of
  StatementPart made;
  std::shared_ptr<Query> rows;       // what it gives
  std::vector<std::size_t> sources;  // other parts whose rows it looks at
};

/// What is named where the analysis of a statement has come to, and what it
/// has found so far: what all rooms share.
struct NameScope {
  NameScope(const Tree& tree, const Catalog& catalog, const Names* variables,
            Lifter* lifter);

  /// Of the innermost query.
  [[nodiscard]] OpenQuery& level() { return *levels.back(); }
  [[nodiscard]] const Source& source() const { return tree.source(); }
  std::optional<Expr> find_column(std::span<const std::string> name, Span at);
  /// A column as it is named without its table, `up` queries out.
  Expr merged_column(std::uint32_t up, std::uint32_t relation,
                     std::uint32_t column, Span at) const;
  [[noreturn]] void unknown_name(std::span<const std::string> name, Span at);
  Expr variable(Names::Found found, Span at);
  [[nodiscard]] const Table& written_table(TableId id) const;
  RelationNames names_of(TableId table, std::string name) const;
  [[nodiscard]] std::string key_of(const PgQuery__RangeVar& node) const;
  TableId table(const PgQuery__RangeVar& node);

  const Tree& tree;
  const Catalog& catalog;
  const Names* variables;
  Lifter* lifter;
  const SearchPath* path = nullptr;  // of a view; else the catalog's
  Dialect dialect;
  std::vector<std::unique_ptr<OpenQuery>> levels;  // of queries, innermost last
  std::vector<DbStatement::Mention> mentions;
  std::vector<std::uint32_t> lifted;  // slots of calls taken out
  std::vector<Part> parts;
  std::uint32_t links = 0;  // subqueries in expressions that we are in
  std::uint32_t depth = 0;
  std::uint32_t conditional = 0;  // under AND, CASE, ...
  bool looks_at_tables = false;
  bool has_parameters = false;  // $1, ... are columns of the outermost query
  std::optional<WrittenView> written_view;  // the target of the statement
  std::optional<Span> record_test;
};

}  // namespace txscope::sql::analyzer
