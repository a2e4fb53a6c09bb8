#pragma once

#include <string_view>

namespace txscope::sql {

/// Five digits or capital letters.
[[nodiscard]] bool is_sqlstate(std::string_view code);
/// The SQLSTATE of a condition name (unique_violation); empty: unknown.
[[nodiscard]] std::string_view sqlstate_of(std::string_view condition);

}  // namespace txscope::sql
