#pragma once

#include <utility>
#include <vector>

#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {

/// The number behind a constant or nextval('name'): which sequence is meant.
[[nodiscard]] std::optional<QualifiedName> sequence_named(const Node& call);
[[nodiscard]] std::optional<QualifiedName> sequence_argument(
    const PgQuery__FuncCall& call);
/// gen_random_uuid() and its like.
[[nodiscard]] bool makes_uuid(std::string_view function);
/// A function that gives another value at every call.
[[nodiscard]] bool draws_number(std::string_view function);

/// CREATE TABLE, CREATE INDEX, ALTER TABLE and the like into a Catalog's
/// schema.
class SchemaReader {
 public:
  SchemaReader(const Tree& tree, Catalog& catalog)
      : tree_(tree), source_(tree.source()), catalog_(catalog) {}

  void create_table(const PgQuery__CreateStmt& node);
  /// `is_used`: rows of the file are, or may be, in the table.
  /// What the setup does with a table that is altered.
  struct Uses {
    bool is_used = false;
    /// It is all INSERTs of values, these.
    std::vector<Insert*> rows = {};
  };
  void alter_table(const PgQuery__AlterTableStmt& node, Uses uses);
  void rename(const PgQuery__RenameStmt& node);
  void give_name(const std::string& key, const std::string& to);
  void create_sequence(const PgQuery__CreateSeqStmt& node);
  void create_enum(const PgQuery__CreateEnumStmt& node);
  void alter_enum(const PgQuery__AlterEnumStmt& node);
  void create_composite(const PgQuery__CompositeTypeStmt& node);
  void create_domain(const PgQuery__CreateDomainStmt& node);
  void create_trigger(const PgQuery__CreateTrigStmt& node);
  [[nodiscard]] std::optional<Span> when_of_trigger() const;
  /// ADD FOREIGN KEY of a table that is there.
  void add_foreign_key(const PgQuery__RangeVar& table,
                       const PgQuery__Constraint& node);
  /// A unique index is a unique key; others mean nothing to what happens.
  void create_index(const PgQuery__IndexStmt& node);

 private:
  // index_reader.cpp
  [[nodiscard]] static std::string name_of(const PgQuery__IndexElem& element,
                                           std::vector<std::string>& before);
  void add_part(const PgQuery__IndexElem& element, Span at, const Table& table,
                TableId id, KeyPart::With with, UniqueKey& key);
  void add_condition(const Node* where, const Table& table, TableId id,
                     UniqueKey& key);
  void add_exclusion(const PgQuery__Constraint& node);
  void add_column(const PgQuery__ColumnDef& node);
  void column_constraints(const PgQuery__ColumnDef& def, std::uint32_t column);
  [[nodiscard]] static bool has_attribute(NodeList behind,
                                          PgQuery__ConstrType attribute);
  void column_constraint(const PgQuery__Constraint& node, std::uint32_t column);
  void table_constraint(const PgQuery__Constraint& node);
  void add_unique(const PgQuery__Constraint& node,
                  std::vector<std::uint32_t> columns);
  void add_check(const PgQuery__Constraint& node);
  void add_default(const PgQuery__Constraint& node, std::uint32_t column);
  void add_identity(const PgQuery__Constraint& node, std::uint32_t column);
  void add_generated(const PgQuery__Constraint& node, std::uint32_t column);
  void add_foreign(const PgQuery__Constraint& node,
                   std::vector<std::uint32_t> columns);
  void alter(const PgQuery__AlterTableCmd& command);
  void drop_column(std::uint32_t gone);
  void alter_type(const PgQuery__ColumnDef& node, std::uint32_t column);
  void set_default(std::uint32_t column, const Node* value, Span at);
  void copy_columns(const PgQuery__TableLikeClause& node);
  void copy_keys(const Table& from);
  bool add_generator(const Node& value, std::uint32_t column);
  void check_domain(const PgQuery__ColumnDef& node, std::uint32_t column);
  void obstacle(Obstacle obstacle) {
    obstacles_.push_back(std::move(obstacle));
  }
  /// Puts what stands in the way of writing to the tables into the catalog.
  void keep_obstacles(TableId table);
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
  void add_type(const QualifiedName& name, TypeAlias alias);

  Table table_;
  std::string plain_;   // its name without a schema
  std::string schema_;  // that it is in
  TableId id_;
  Uses uses_;
  std::vector<Obstacle> obstacles_;                   // of this table
  std::vector<std::pair<TableId, Obstacle>> others_;  // of tables it refers to
};

/// Adds the columns that an expression over one row names.
void collect_columns(const Expr& e, std::vector<std::uint32_t>& columns);
/// What may not stand in a constraint here.
[[nodiscard]] bool has_subquery_or_call(const Expr& e);

/// A sequence that ends below this might, and then cycle or fail.
inline constexpr std::int32_t kFewNumbers = 1'000'000;

/// A trigger that cannot be run.
[[nodiscard]] Obstacle obstacle_of(const Trigger& trigger,
                                   const std::string& why);

}  // namespace txscope::sql
