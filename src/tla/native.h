#pragma once

#include <cstdint>
#include <string_view>

namespace txscope::tla {

/// Which definition of module Txscope `name` is, counted from 0; -1 if the
/// module evaluates it as it is written.
[[nodiscard]] std::int32_t native_index(std::string_view name);

}  // namespace txscope::tla
