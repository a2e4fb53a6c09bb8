#pragma once

#include "race/reduce/touches.h"

namespace txscope::race {

/// What a statement of MariaDB touches, roughly: a plain SELECT reads what is
/// committed, of everything; all else locks everything.
[[nodiscard]] StatementTouches touches_in_mariadb(const Statement& statement);

}  // namespace txscope::race
