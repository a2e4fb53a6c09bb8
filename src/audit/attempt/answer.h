#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/attempt/prepared.h"
#include "audit/tables/tables.h"
#include "exec/sql/query/evaluate.h"
#include "exec/sql/query/sql_error.h"
#include "model/sql/log.h"

namespace txscope::audit {

/// What a statement gives on some state.
struct Answer {
  std::optional<sql::SqlError> error;
  std::uint64_t count = 0;
  /// Of a SELECT all rows before LIMIT, with the keys of ORDER BY behind the
  /// columns; of others what RETURNING gives.
  std::vector<sql::Row> rows;
  sql::Window window;
  /// The last commit whose version of a row it had to wait for (see
  /// Sight::rechecks).
  Position waited_for = kSetup;
  /// It may have been another one: see AuditStatement::is_unsure().
  bool is_unsure = false;
};

/// Whether a client can have been shown `observed` for `answer`: rows as a
/// multiset, under ORDER BY in the order of its keys with ties free, under
/// LIMIT any choice that these leave; the count; an error of the same class.
[[nodiscard]] bool explains(const Prepared& prepared, const Answer& answer,
                            const sql::LogStatement& observed);

/// Whether a value that we computed and one that a client was shown as JSON are
/// the same.
[[nodiscard]] bool is_same_value(const sql::Value& computed,
                                 const sql::Value& observed);

/// Failures that a correct database may always answer with: serialization,
/// deadlock, lock not available, a lost connection.  They have no effect.
[[nodiscard]] bool is_always_possible(const sql::LogError& error);

/// Rows of a locking SELECT come in the order in which they were found, and are
/// not sorted again: each gets a key of its own.
void number_rows(const sql::Query& query, std::vector<sql::Row>& rows);

/// For people: "1 row: (5, ann)", "count 2", "error 23505".
[[nodiscard]] std::string describe(const Prepared& prepared,
                                   const Answer& answer);
[[nodiscard]] std::string describe(const sql::LogStatement& observed);
/// The text of a statement with its parameters in their places.
[[nodiscard]] std::string with_parameters(const sql::LogStatement& observed);

}  // namespace txscope::audit
