#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// A type as it is written, and what PostgreSQL's types do not say.
struct ColumnType {
  PgQuery__TypeName* type = nullptr;
  bool is_unsigned = false;
  bool is_binary = false;
  std::string collation;
  List labels;          ///< of ENUM
  bool is_set = false;  ///< SET
  std::string name;
  bool is_serial = false;
};

/// Types of columns, parameters and CAST.
class Types : public Room {
 public:
  using Room::Room;

  ColumnType column_type();
  static void collate(PgQuery__TypeName& type, std::string_view collation);
  PgQuery__TypeName* cast_type();
};

}  // namespace txscope::sql::syntax
