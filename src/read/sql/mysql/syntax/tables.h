#pragma once

#include <optional>
#include <string>

#include "read/sql/mysql/syntax/room.h"
#include "read/sql/mysql/syntax/types.h"

namespace txscope::sql::syntax {

/// CREATE TABLE: its columns and options.
class Tables : public Room {
 public:
  using Room::Room;

  Node* create_table(bool is_temporary);
  Node* column(const std::string& name, std::int32_t where);
  /// ENGINE=InnoDB AUTO_INCREMENT=4 ...: the number.
  std::optional<std::int64_t> table_options();
  void partitions();
  Node* default_value();

 private:
  Node* table_of_query(PgQuery__CreateStmt& table, const List& elements);
  void finish_columns(const List& elements, std::optional<std::int64_t> start);
  void table_element(PgQuery__CreateStmt& table, List& elements);
  void column_options(PgQuery__ColumnDef& column, const ColumnType& type,
                      List& constraints);
  void type_checks(const std::string& column, const ColumnType& type,
                   List& constraints, std::int32_t where);

  std::string table_collation_;  ///< of the CREATE TABLE that is read
};

}  // namespace txscope::sql::syntax
