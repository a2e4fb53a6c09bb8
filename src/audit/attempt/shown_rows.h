#pragma once

#include <string>

#include "audit/attempt/answer.h"

namespace txscope::audit {

/// Whether every row of a query of one table shows its primary key.
[[nodiscard]] bool shows_keys(const sql::Schema& schema,
                              const sql::Query& query);

/// Whether a locking SELECT that would show so many rows without LIMIT has
/// locked everything that it found, not only as much as LIMIT wants.
[[nodiscard]] bool locks_all(const sql::Schema& schema,
                             const Prepared& prepared,
                             const sql::LogStatement& observed,
                             std::size_t rows);

/// What is wrong with an answer whatever the state was: rows out of the order
/// that was asked for, a key twice, another number of rows than such a
/// statement always shows.  Empty: nothing.
[[nodiscard]] std::string wrong_in_itself(const sql::Schema& schema,
                                          const Prepared& prepared,
                                          const sql::LogStatement& observed,
                                          bool keys_may_repeat);

}  // namespace txscope::audit
