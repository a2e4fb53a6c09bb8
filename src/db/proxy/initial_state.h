#pragma once

#include "base/result.h"
#include "db/record/log.h"
#include "db/session.h"

namespace txscope::db {

/// What a PostgreSQL database holds now, as the first line of a log: its
/// tables, functions and procedures as SQL, and the rows.  All of one moment.
/// A table with more rows than `max_rows` is described, but its rows are left
/// out, and the header's settings name it under `rows_left_out`.
[[nodiscard]] Result<LogHeader> initial_state(Session& postgresql,
                                              std::uint64_t max_rows);

}  // namespace txscope::db
