#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/sql/expr.h"
#include "model/sql/schema.h"

namespace txscope::engine {

/// Whether rows of one table are wanted in the order of its primary key, or in
/// its reverse, so that LIMIT ends the scan; else they are sorted first.
enum class KeyOrder : std::uint8_t { None, Ascending, Descending };

[[nodiscard]] KeyOrder key_order(const std::vector<sql::SortKey>& order_by,
                                 const std::optional<sql::Expr>& where,
                                 const sql::Table& table);

}  // namespace txscope::engine
