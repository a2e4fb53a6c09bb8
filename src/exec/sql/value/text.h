#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "exec/sql/query/halt.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

// Texts under the C locale, in UTF-8.

/// A text as its characters.
[[nodiscard]] std::vector<std::string_view> characters(std::string_view text);
/// In characters.
[[nodiscard]] std::size_t length(std::string_view text);
/// ASCII letters only, as the C locale has it.
[[nodiscard]] Value lower(const Value& text);
[[nodiscard]] Value upper(const Value& text);
/// LIKE.  `escape` is one character; none: nothing escapes.  A pattern that
/// ends with it is 22025, if the match gets that far.
[[nodiscard]] Value like(std::string_view text, std::string_view pattern,
                         std::string_view escape, Halt& halt);
/// varchar(size).  Only an explicit cast may lose more than spaces.
[[nodiscard]] Value fit_text(const Value& text, std::size_t size,
                             bool is_explicit, Halt& halt);

}  // namespace txscope::sql
