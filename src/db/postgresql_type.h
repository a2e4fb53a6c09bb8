#pragma once

#include <cstdint>

#include "db/column_type.h"

namespace txscope::db {

/// The type with that number in PostgreSQL's catalogue pg_type, for the types
/// that come with every server; others are ColumnType::Other.
[[nodiscard]] ColumnType postgresql_type(std::uint32_t oid);

}  // namespace txscope::db
