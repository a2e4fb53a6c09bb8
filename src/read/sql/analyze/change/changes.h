#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

enum class Write : std::uint8_t { Insert, Update, Delete };

struct Inferred;

struct OtherTables {
  NodeList from;
  const Node* where = nullptr;
};

/// INSERT, UPDATE, DELETE and MERGE.
class Changes : public Room {
 public:
  using Room::Room;

  DbStatement insert(const PgQuery__InsertStmt& node);
  DbStatement update(const PgQuery__UpdateStmt& node);
  DbStatement remove(const PgQuery__DeleteStmt& node);
  DbStatement merge(const PgQuery__MergeStmt& node);

 private:
  [[nodiscard]] bool takes_next_number(const Node& value,
                                       const Column& column) const;
  [[nodiscard]] bool is_found_first(const Update& update) const;
  RowChoice row_choice();
  void set_updated_columns(Update& update) const;
  void check_writable(const PgQuery__RangeVar& node, TableId id, Write write,
                      const std::vector<SetColumn>& set) const;
  Relation target(const PgQuery__RangeVar& node);
  /// WHERE of an UPDATE or DELETE, if there is one.
  std::optional<Expr> where_of(const Node* node);
  /// Its RETURNING, with which it ends.
  std::vector<Target> returning_of(NodeList nodes);
  void insert_rows(Insert& insert, const PgQuery__SelectStmt& node);
  void insert_fields(Insert& insert, std::vector<Target> fields);
  void insert_query(Insert& insert, const Node& node);
  void check_width(const Insert& insert, std::size_t width) const;
  void check_generated(const Insert& insert) const;
  /// Fails if the table has none of this name.
  std::uint32_t column_named(const Table& table, std::string_view name,
                             Span at);
  std::vector<std::uint32_t> insert_columns(const Table& table, NodeList nodes);
  Merge::Arm merge_arm(const PgQuery__MergeWhenClause& node,
                       const PgQuery__MergeStmt& statement, Merge& merge);
  Insert merge_insert(const PgQuery__MergeWhenClause& node,
                      const Relation& target);
  OnConflict replacement(const Relation& target);
  OnConflict on_conflict(const PgQuery__OnConflictClause& node,
                         const Relation& target);
  std::vector<std::uint32_t> arbiters(const PgQuery__InferClause& node,
                                      TableId id);
  Inferred inferred(const PgQuery__InferClause& node, TableId id);
  std::shared_ptr<Query> joined_query(const OtherTables& others,
                                      const Node* value, const Column* into);
  Expr joined_exists(const OtherTables& others);
  Expr joined_value(const OtherTables& others, const Node* value,
                    const Column& into);
  Expr selected_column(const PgQuery__MultiAssignRef& multi, Span at);
  std::vector<SetColumn> set_clause(NodeList nodes, const Table& table,
                                    const OtherTables* others = nullptr);
  Expr assigned(Expr e, const Column& column);
};

}  // namespace txscope::sql::analyzer
