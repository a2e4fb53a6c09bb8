#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tla/model.h"

namespace txscope::tla::ranks {

/// By action_key(): how many states an action was the first to reach that
/// another rank owns.
using DistinctByAction = std::unordered_map<std::uint64_t, std::uint64_t>;

[[nodiscard]] std::string packed(const ModelCoverage& coverage,
                                 const DistinctByAction& distinct);
/// Adds what another rank counted.
void add_coverage(std::string_view bytes, ModelCoverage& coverage,
                  DistinctByAction& distinct);
/// Gives the actions what was counted by their keys.
void add_distinct(const DistinctByAction& distinct, ModelCoverage& coverage);

}  // namespace txscope::tla::ranks
