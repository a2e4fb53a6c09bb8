#pragma once

#include <optional>
#include <vector>

#include "audit/attempt/answer.h"

namespace txscope::audit {

/// The rows that a statement can touch, by primary key.
struct NamedRows {
  TableId table;
  std::vector<sql::Row> keys;  ///< ascending, each once
  bool is_write = false;
};

/// The rows that a statement names, if it looks at no others: one table, whose
/// key is of whole numbers and held equal to constants and parameters.  What it
/// does to them depends on nothing but them.
[[nodiscard]] std::optional<NamedRows> named_rows(
    const sql::Schema& schema, const Prepared& prepared,
    const sql::LogStatement& observed);

/// The value that RETURNING shows of a column of the i-th row of an INSERT.
[[nodiscard]] std::optional<sql::Value> returned(
    const sql::DbStatement& statement, const sql::LogStatement& observed,
    std::size_t i, std::uint32_t column);

}  // namespace txscope::audit
