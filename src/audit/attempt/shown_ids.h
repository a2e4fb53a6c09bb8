#pragma once

#include <cstdint>
#include <vector>

#include "model/sql/log.h"
#include "model/sql/schema.h"
#include "model/sql/statement.h"

namespace txscope::audit {

/// The numbers that RETURNING shows of a generated column.
[[nodiscard]] std::vector<std::int64_t> shown_ids(
    const sql::Schema& schema, const sql::DbStatement& statement,
    const sql::LogStatement& observed);

}  // namespace txscope::audit
