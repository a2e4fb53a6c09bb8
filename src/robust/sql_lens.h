#pragma once

#include <memory>

#include "explore/sql/sql_script.h"
#include "robust/lens.h"

namespace txscope::robust {

/// Of an application.
///
/// Method.  A statement names the columns that its text names, of all relations
/// of the table; what keys and foreign keys look up are their columns.  Whether
/// a row is looked for say the conditions on that row alone (those of WHERE and
/// of inner joins, if the table stands there once), by evaluating them.  What
/// is not understood (functions, triggers, WITH that writes, MERGE) names all
/// columns and looks for all rows.
[[nodiscard]] std::unique_ptr<Lens> make_sql_lens(
    const explore::SqlScript& script, const Budget& budget);

}  // namespace txscope::robust
