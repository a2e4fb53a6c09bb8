#pragma once

#include "read/sql/analyzer.h"

namespace txscope::sql {

/// CREATE TABLE and CREATE INDEX into a Catalog's schema.
class SchemaReader {
 public:
  SchemaReader(const Tree& tree, Catalog& catalog)
      : tree_(tree), source_(tree.source()), catalog_(catalog) {}

  void create_table(const PgQuery__CreateStmt& node);
  /// A unique index is a unique key; others mean nothing to what happens.
  void create_index(const PgQuery__IndexStmt& node);

 private:
  void add_column(const PgQuery__ColumnDef& node);
  void column_constraint(const PgQuery__Constraint& node, std::uint32_t column);
  void table_constraint(const PgQuery__Constraint& node);
  void add_unique(const PgQuery__Constraint& node,
                  std::vector<std::uint32_t> columns);
  void add_check(const PgQuery__Constraint& node);
  void add_default(const PgQuery__Constraint& node, std::uint32_t column);
  void add_identity(const PgQuery__Constraint& node, std::uint32_t column);
  void add_foreign(const PgQuery__Constraint& node,
                   std::vector<std::uint32_t> columns);
  void add_sequence(std::uint32_t column, std::int64_t start,
                    std::int64_t increment);
  [[nodiscard]] std::vector<std::uint32_t> columns(NodeList names,
                                                   const Table& table,
                                                   Span at) const;
  /// As PostgreSQL names what has no name: table_columns_label, with a number
  /// if that is taken.
  [[nodiscard]] std::string free_name(const char* given,
                                      const std::vector<std::uint32_t>& columns,
                                      std::string_view label);

  const Tree& tree_;
  const Source& source_;
  Catalog& catalog_;
  Table table_;
  TableId id_;
};

}  // namespace txscope::sql
