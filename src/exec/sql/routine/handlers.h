#pragma once

#include <string_view>

#include "model/sql/routine.h"

namespace txscope::sql {

/// The SQLSTATE of a script's own ROLLBACK: no handler names it.
inline constexpr std::string_view kRollBack = "00000";

/// Whether a handler catches an error.
[[nodiscard]] bool is_named(const PlTry::Handler& handler,
                            std::string_view state);

}  // namespace txscope::sql
