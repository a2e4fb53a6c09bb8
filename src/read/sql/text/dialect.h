#pragma once

#include <string>
#include <string_view>

#include "model/sql/log.h"

namespace txscope::sql {

/// A text of another dialect as PostgreSQL's parser reads it: quotes, escapes
/// and names of types, word by word.  What the words mean differs still; that
/// is the Analyzer's to know (Analyzer::speak).
[[nodiscard]] std::string in_our_dialect(std::string_view text,
                                         Dialect dialect);

}  // namespace txscope::sql
