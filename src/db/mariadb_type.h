#pragma once

#include "db/column_type.h"

namespace txscope::db {

/// The type with that number in the protocol of MariaDB and MySQL
/// (enum_field_types); of texts the number of their character set tells
/// whether they are bytes.
[[nodiscard]] ColumnType mariadb_type(unsigned type, unsigned charset);

}  // namespace txscope::db
