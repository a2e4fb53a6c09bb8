#pragma once

#include <cstdint>
#include <string_view>

namespace txscope {

enum class Outcome : std::uint8_t { Holds, Violated, Undecided };

/// "holds", "violated", "undecided".
[[nodiscard]] std::string_view name(Outcome outcome);

}  // namespace txscope
