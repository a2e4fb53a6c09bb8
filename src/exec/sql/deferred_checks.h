#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/sql/schema.h"
#include "model/sql/statement.h"

namespace txscope::sql {

/// A row that appeared, changed or vanished, which COMMIT has to look at.
struct DeferredChange {
  TableId table;
  std::optional<Row> old;
  std::optional<Row> now;

  friend bool operator==(const DeferredChange&,
                         const DeferredChange&) = default;
};

/// Whether COMMIT looks at changes of the table.
[[nodiscard]] bool is_deferred(const Schema& schema, TableId table);

/// What COMMIT looks at after these changes of its transaction, in the order
/// in which it does.  Definition, PostgreSQL's: a row is looked at as it was
/// left, where its last change, or one before it, set the key; a row that was
/// named by its old values, whatever came after.
[[nodiscard]] std::vector<DeferredCheck> deferred_checks(
    const Schema& schema, std::span<const DeferredChange> changes);

}  // namespace txscope::sql
