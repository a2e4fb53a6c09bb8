#pragma once

#include <cstdint>
#include <optional>

#include "base/budget.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::generate {

/// What came of the search for a history that tells two levels apart.
struct Distinction {
  enum class Kind : std::uint8_t {
    Found,
    Impossible,  ///< whatever the first level allows the second allows, too
    NotFound,    ///< the budget, or the sizes that are tried, ended
  };
  Kind kind = Kind::NotFound;
  std::optional<History> history;  ///< if Found
  std::uint64_t tried = 0;         ///< histories that were judged
};

/// A smallest history that `allowed_by` allows and `forbidden_by` forbids: of
/// the fewest transactions, then operations, keys, sessions.
///
/// Method.  Histories are enumerated in that order and judged by check().  Up
/// to renaming, and without those that a smaller one could replace: values are
/// unique, no read is internal, no key is written twice in a transaction, every
/// key is written and is read by another transaction; from read-atomic upwards
/// no key is read twice in a transaction; unless monotonic-atomic-view is
/// asked for, operations of a transaction come in a fixed order.  Reads return
/// what a committed transaction left, as the first level is read-committed or
/// above; if it is read-uncommitted, a value out of thin air tells it from all
/// others.  Registers are enough, but for read-uncommitted as the second
/// level, which only lists can contradict.  Realtime: one representative of
/// every way in which the transactions may overlap.
///
/// "Impossible" is not searched for: it is what implies() says.  Smaller
/// numbers of transactions are excluded up to a number of operations (six for
/// three), not beyond.
[[nodiscard]] Distinction distinguish(Level allowed_by, Level forbidden_by,
                                      const Budget& budget);

}  // namespace txscope::generate
