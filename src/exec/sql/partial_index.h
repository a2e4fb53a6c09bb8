#pragma once

#include "exec/sql/process.h"
#include "model/sql/schema.h"

namespace txscope::sql {

/// Whether a row is in the index of a unique key: always, unless that is
/// partial.  What fails counts as no, as the statement that wrote it failed.
[[nodiscard]] bool is_in_index(const Routines& routines, const UniqueKey& key,
                               const Row& row);

}  // namespace txscope::sql
