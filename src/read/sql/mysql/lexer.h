#pragma once

#include <string>
#include <string_view>

#include "read/sql/text/token.h"

namespace txscope::sql {

/// MySQL's lexer, and its client's: DELIMITER, comments with code, `names`.
/// As scan(); the last token of a statement of the client, the delimiter, is a
/// ";" that `is_end`.  The `word` of a String is its value, that of a name of a
/// variable has its @.
[[nodiscard]] Tokens scan_mysql(const Source& source, std::string_view text,
                                std::uint32_t offset);

/// 'it\'s', with its quotes and backslashes, as the text that it is.
[[nodiscard]] std::string unquoted_mysql_text(std::string_view written);

/// A word that is no name unless it stands in quotes.
[[nodiscard]] bool is_mysql_reserved(std::string_view word);

}  // namespace txscope::sql
