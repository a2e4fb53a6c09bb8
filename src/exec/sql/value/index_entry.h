#pragma once

#include <optional>

#include "exec/sql/routine/process.h"
#include "model/sql/schema.h"

namespace txscope::sql {

/// What the index of a unique key holds of a row, in the form in which SQL's
/// equal values are the same; nothing if the row is not in it or has a NULL
/// there.  What fails counts as nothing, as the statement that wrote it failed.
[[nodiscard]] std::optional<Row> index_entry(const Routines& routines,
                                             const UniqueKey& key,
                                             const Row& row);

/// Whether two rows with these entries cannot both be there.
[[nodiscard]] bool excludes(const UniqueKey& key, const Row& a, const Row& b);

/// Which rows are in the way of one under a unique key.
class KeyConflict {
 public:
  KeyConflict(const Routines& routines, const UniqueKey& key, const Row& row);
  [[nodiscard]] bool operator()(const Row& other) const;

 private:
  const Routines& routines_;
  const UniqueKey& key_;
  const Row& row_;
  std::optional<Row> entry_;  // of a partial key
};

}  // namespace txscope::sql
