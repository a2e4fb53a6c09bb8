#pragma once

#include <vector>

#include "audit/rows/row_access.h"

namespace txscope::audit {

/// What a SELECT has seen of rows: those that it shows with their keys, and
/// keys that its answer lacks although nothing but the key was asked for.
///
/// Of a join the rows of every table are told whose key each row of the answer
/// shows, or the conditions hold equal to what it shows.
void add_select(const sql::Schema& schema, const sql::Query& query,
                const sql::LogStatement& observed, const KnownKeys& known_keys,
                std::vector<RowAccess>& all);

}  // namespace txscope::audit
