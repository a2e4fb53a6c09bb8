#pragma once

#include <cstdint>
#include <string_view>

#include "model/sql/value/value.h"

namespace txscope::sql {

/// Expr::index of a Cast that takes of a text the number that it begins with,
/// as MariaDB does, and never fails.
inline constexpr std::uint32_t kLeadingNumber = 2;

/// That number, a Numeric; 0 if there is none.
[[nodiscard]] Value leading_number(std::string_view text);

}  // namespace txscope::sql
