#pragma once

#include <optional>
#include <vector>

#include "audit/attempt/answer.h"

namespace txscope::audit {

/// An answer that is the sum of one column of rows that are named by key.
struct SumOfRows {
  TableId table;
  std::uint32_t column = 0;
  std::vector<sql::Row> keys;  ///< ascending, each once
  sql::Value value;
};

/// Of SELECT sum(c) FROM t WHERE k = 1 OR k IN (2, 3), which asks for nothing
/// but the key.
[[nodiscard]] std::optional<SumOfRows> sum_of_rows(
    const sql::Schema& schema, const Prepared& prepared,
    const sql::LogStatement& observed);

}  // namespace txscope::audit
