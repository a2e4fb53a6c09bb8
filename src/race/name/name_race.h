#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/anomaly.h"
#include "model/history.h"
#include "race/reduce/catalog.h"
#include "race/run/run.h"

namespace txscope::race {

/// A statement's read or write of a row.
struct RowTouch {
  std::size_t event = 0;      ///< of the trace: where the statement was sent
  std::size_t statement = 0;  ///< of the event
  std::size_t request = 0;
  std::string row;  ///< "product=1"
  bool is_write = false;
  /// That was seen or made; they count up in the order of time, 0 is the
  /// beginning.
  std::int64_t version = 0;
  bool is_committed = false;
};

/// Who read and wrote which version of which row, from the statements of a run,
/// transaction by transaction.  Rows are known by their key, or as what an
/// INSERT made; a SELECT without a key reads every row of the table that the
/// run knows.  What an UPDATE reads only to overwrite it is no read: no client
/// saw it.  None: a statement is not understood that well.
[[nodiscard]] std::optional<std::vector<RowTouch>> row_touches(
    const RunTrace& trace, const Catalog& catalog);
/// The same as a history.
[[nodiscard]] std::optional<History> row_history(const RunTrace& trace,
                                                 const Catalog& catalog);

/// What `check` calls the reason why a run is like no serial one; none: the
/// rows do not show it.
[[nodiscard]] std::optional<Anomaly> name_of_race(const RunTrace& trace,
                                                  const Catalog& catalog,
                                                  const Budget& budget);

}  // namespace txscope::race
