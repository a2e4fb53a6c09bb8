#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace txscope::sql {

/// What stands between the quotes of a String token; none: an escape that we do
/// not read.
[[nodiscard]] std::optional<std::string> unquoted(std::string_view token);

/// quote_ident() and quote_literal().
[[nodiscard]] std::string name_in_quotes(std::string_view name);
[[nodiscard]] std::string value_in_quotes(std::string_view value);

}  // namespace txscope::sql
