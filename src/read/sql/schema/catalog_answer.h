#pragma once

#include <optional>

#include "read/sql/schema/catalog.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

/// Whether a query of the server's catalogue, as migrations ask it before they
/// create something, finds a row now: tables, views, columns, functions and
/// types by constant names.  None: it asks something else.
[[nodiscard]] std::optional<bool> finds_in_catalog(
    const PgQuery__SelectStmt& query, const Catalog& catalog);

/// The same of a condition: EXISTS of such queries, to_regclass('name') IS
/// NULL, with NOT, AND and OR.
[[nodiscard]] std::optional<bool> catalog_condition(const Node& condition,
                                                    const Catalog& catalog);

}  // namespace txscope::sql
