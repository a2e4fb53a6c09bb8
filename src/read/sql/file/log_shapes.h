#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/sql/log.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

// What statements of a log are, by their trees.

/// A statement as the one of a procedure.
[[nodiscard]] sql::Routine routine_of(sql::DbStatement statement,
                                      std::uint32_t parameters);
[[nodiscard]] std::string last_word(std::string_view text);
/// SELECT * FROM f(...), or some of its columns, and nothing else.
[[nodiscard]] const PgQuery__FuncCall* call_as_rows(
    const PgQuery__SelectStmt& select);
/// SELECT f(...) and nothing else.
[[nodiscard]] const PgQuery__FuncCall* only_call(
    const PgQuery__SelectStmt& select);
[[nodiscard]] sql::ReadStatement::Kind savepoint_kind(
    const PgQuery__TransactionStmt& node);

}  // namespace txscope::sql
