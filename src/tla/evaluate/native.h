#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/budget.h"
#include "model/level.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// Which definition of module Txscope `name` is, counted from 0; -1 if the
/// module evaluates it as it is written.
[[nodiscard]] std::int32_t native_index(std::string_view name);
[[nodiscard]] Level native_level(std::int32_t index);

/// The answer of check's engine to a level of module Txscope.  Nothing where
/// the arguments are not what the engine can judge (no observed transactions,
/// transactions of one session that overlap in time): then the definition has
/// to be evaluated as it is written, unless the budget is spent.
[[nodiscard]] std::optional<bool> evaluate_native(std::int32_t index,
                                                  std::span<const Value> args,
                                                  const Budget& budget);

}  // namespace txscope::tla
