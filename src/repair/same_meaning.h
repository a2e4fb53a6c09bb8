#pragma once

#include "base/budget.h"
#include "exec/sql/memory/database.h"

namespace txscope::repair {

/// Whether two applications with the same sessions do the same when nobody
/// meets: their sessions one after the other, in every order (up to 24), leave
/// the same rows, and the same calls fail with the same codes.
[[nodiscard]] bool do_the_same_serially(const sql::MemoryDatabase& before,
                                        const sql::Application& old,
                                        const sql::MemoryDatabase& after,
                                        const sql::Application& changed,
                                        const Budget& budget);

}  // namespace txscope::repair
