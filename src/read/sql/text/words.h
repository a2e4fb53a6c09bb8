#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "read/sql/text/token.h"

namespace txscope::sql {

/// The tokens of a piece of a text, with their offsets in the whole of it, for
/// who changes a text that was read before.  None: the piece ends within
/// something, as a quote.
[[nodiscard]] std::vector<Token> words_of(std::string_view text,
                                          std::size_t from, std::size_t to,
                                          bool is_mysql);

}  // namespace txscope::sql
