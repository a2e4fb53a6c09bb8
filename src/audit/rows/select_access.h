#pragma once

#include <vector>

#include "audit/rows/row_access.h"

namespace txscope::audit {

/// What a SELECT has seen of rows: those that it shows with their keys, and
/// those that its answer lacks although all that is asked of them is settled.
///
/// Of a join the rows of every table are told whose key each row of the answer
/// shows, or the conditions hold equal to what it shows.
void add_select(const sql::Schema& schema, const sql::Query& query,
                const sql::LogStatement& observed, const KnownTables& known,
                std::vector<RowAccess>& all);

/// Whether a relation of a query is a table with a primary key.
[[nodiscard]] bool is_keyed_table(const sql::Schema& schema,
                                  const sql::Relation& relation);

/// Of each row of an answer the keys of the rows that it is made of, one per
/// relation, as far as it tells all of them.
[[nodiscard]] std::vector<std::vector<sql::Row>> keys_of_rows(
    const sql::Schema& schema, const sql::Query& query,
    const sql::LogStatement& observed);

}  // namespace txscope::audit
