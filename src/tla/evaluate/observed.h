#pragma once

#include <optional>

#include "model/history.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// Reads a TLA+ value as observed transactions.
///
/// An operation is a record with fields op ("read" or "write"), key and value;
/// a transaction is a sequence of operations.  `transactions` may be a set of
/// transactions, a function from names to transactions, or a function from
/// sessions to sequences of transactions; in the first two every transaction is
/// a session of its own.  `times`, if given, has that third shape with pairs
/// of integers.  `init` gives keys their initial values.  Nothing if the
/// values are not of that kind.
[[nodiscard]] std::optional<History> observed_history(Value init,
                                                      Value transactions,
                                                      Value times = {});

}  // namespace txscope::tla
