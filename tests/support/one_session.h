#pragma once

#include <string>

#include "exec/sql/memory/database.h"

namespace txscope::test {

/// Runs the first calls of all sessions one after the other: in memory, at
/// every profile that writes as PostgreSQL does, and over the rows that a
/// search would answer with.  Each must give the same rows, counts, codes and
/// numbers of sequences.  The first difference, or nothing.
///
/// An execution by one session leaves nothing to an isolation level, so that
/// whatever differs is a wrong meaning of a statement.
[[nodiscard]] std::string one_session_difference(
    const sql::Routines& routines, const sql::MemoryDatabase& initial);

}  // namespace txscope::test
