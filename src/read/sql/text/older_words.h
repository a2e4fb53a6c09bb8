#pragma once

#include <string>
#include <vector>

#include "read/sql/text/token.h"

namespace txscope::sql {

/// A statement of later versions of PostgreSQL in the words of the version
/// whose parser this is, as long as it was: VIRTUAL columns as STORED ones
/// (the value is the same, whenever it is computed), GRANT without the options
/// of membership.  Empty: nothing of that kind is there.
[[nodiscard]] std::string in_older_words(const Source& source,
                                         const std::vector<Token>& tokens,
                                         Span statement);

}  // namespace txscope::sql
