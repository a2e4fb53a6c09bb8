#pragma once

#include <span>

#include "audit/attempt/attempt.h"
#include "exec/sql/writer/database.h"
#include "exec/sql/writer/deferred_checks.h"

namespace txscope::audit {

/// Whether the foreign keys that are INITIALLY DEFERRED hold after these
/// changes of a transaction, as COMMIT finds them in `database`.
[[nodiscard]] bool holds_at_commit(const Txn& txn,
                                   std::span<const sql::DeferredChange> changes,
                                   sql::Database& database,
                                   const Budget& budget);

}  // namespace txscope::audit
