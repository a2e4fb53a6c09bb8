#pragma once

#include <optional>
#include <vector>

#include "race/reduce/catalog.h"
#include "race/reduce/footprint.h"
#include "race/wire/flight.h"

namespace txscope::race {

/// What a statement does to the transaction around it.
enum class Control : std::uint8_t {
  None,
  Begin,
  Commit,
  Rollback,
  Part,  ///< savepoints, settings
};

struct StatementTouches {
  Control control = Control::None;
  /// Nothing: not understood, so everything.
  std::optional<Footprint> footprint;
  /// It takes a lock that stays until the connection ends or gives it back.
  bool keeps_lock = false;
};

/// What a statement reads and locks: rows by key where the condition names one,
/// else tables.  What commits and gives back comes from the transaction.
[[nodiscard]] StatementTouches touches_of(const Statement& statement,
                                          const Catalog& catalog);

}  // namespace txscope::race
