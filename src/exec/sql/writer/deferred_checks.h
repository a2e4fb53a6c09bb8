#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/sql/constraint_modes.h"
#include "model/sql/schema.h"
#include "model/sql/statement.h"

namespace txscope::sql {

/// A row that appeared, changed or vanished, which COMMIT has to look at.
struct DeferredChange {
  TableId table;
  std::optional<Row> old;
  std::optional<Row> now;
  ConstraintModes modes = {};  ///< as they were then
  /// Unique keys that another row may have, too, and triggers that fire.
  std::vector<std::uint32_t> keys = {};
  std::vector<std::uint32_t> triggers = {};

  friend bool operator==(const DeferredChange&,
                         const DeferredChange&) = default;
};

/// Constraints that are DEFERRABLE, or all.
enum class WhichKeys : std::uint8_t { Deferrable, All };

/// Whether some of these foreign keys is of the table, or leads to it.
[[nodiscard]] bool is_linked(const Schema& schema, TableId table,
                             WhichKeys which);

/// What COMMIT looks at after these changes of its transaction, in the order
/// in which it does.  Definition, PostgreSQL's: a row is looked at as it was
/// left, where its last change, or one before it, set the key; a row that was
/// named by its old values, whatever came after.  Of Deferrable keys those that
/// were deferred when the change was made.
[[nodiscard]] std::vector<DeferredCheck> deferred_checks(
    const Schema& schema, std::span<const DeferredChange> changes,
    WhichKeys which = WhichKeys::Deferrable);

}  // namespace txscope::sql
