#pragma once

#include <cstddef>
#include <vector>

#include "read/sql/text/token.h"

namespace txscope::sql {

/// @a, but no @@autocommit.
[[nodiscard]] bool is_user_variable(const Token& token);
/// SELECT @a, @b AS c of the tokens [from, to): for the eyes of the client
/// alone.
[[nodiscard]] bool only_shows_variables(const std::vector<Token>& tokens,
                                        std::size_t from, std::size_t to);

}  // namespace txscope::sql
