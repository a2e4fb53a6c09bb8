#pragma once

#include <optional>

#include "base/budget.h"
#include "model/anomaly.h"
#include "model/history.h"
#include "race/reduce/catalog.h"
#include "race/run/run.h"

namespace txscope::race {

/// Who read and wrote which version of which row, from the statements of a run.
/// Rows are known by their key, or as what an INSERT made; a SELECT without a
/// key reads every row of the table that the run knows.  What an UPDATE reads
/// only to overwrite it is no read: no client saw it.  None: a statement is not
/// understood that well.
[[nodiscard]] std::optional<History> row_history(const RunTrace& trace,
                                                 const Catalog& catalog);

/// What `check` calls the reason why a run is like no serial one; none: the
/// rows do not show it.
[[nodiscard]] std::optional<Anomaly> name_of_race(const RunTrace& trace,
                                                  const Catalog& catalog,
                                                  const Budget& budget);

}  // namespace txscope::race
