#pragma once

#include <optional>
#include <string>

#include "model/sql/schema.h"

namespace txscope::repair {

/// The row to which a row belongs by one column.
struct Parent {
  const sql::Table* table = nullptr;
  std::string key;           ///< its column
  bool is_declared = false;  ///< by a foreign key; else by the column's name
};

[[nodiscard]] std::optional<Parent> parent_of(const sql::Schema& schema,
                                              const sql::Table& child,
                                              std::uint32_t column);

}  // namespace txscope::repair
