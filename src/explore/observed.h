#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"

namespace txscope::explore {

/// The values that an outcome is told by: locals, then rows.  None: a local
/// that was never assigned.
using SeenOutcome = std::vector<std::optional<std::int64_t>>;

/// What of an execution's end is looked at, as litmus tests do: the locals and
/// rows that the conditions mention, or all if there is no condition.
struct Observed {
  std::vector<std::string> names;   ///< locals, then rows
  std::vector<std::uint32_t> keys;  ///< of the rows, ascending
  /// The values of the locals; slots by InstanceId, null if it did not run.
  std::function<SeenOutcome(const std::int64_t* const*)> locals;

  [[nodiscard]] bool sees(KeyId key) const {
    return std::binary_search(keys.begin(), keys.end(), key.index);
  }
};

}  // namespace txscope::explore
