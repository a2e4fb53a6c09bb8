#pragma once

#include <string_view>
#include <vector>

#include "read/sql/text/token.h"

namespace txscope::sql {

class Source;

/// Whether the statements of a DO block, those that it makes of texts included,
/// only give rights, publish tables, comment and the like: no answer depends on
/// them, whatever the catalogue says that the block asks.  Functions that it
/// calls are the caller's to look at.
[[nodiscard]] bool changes_no_answer(const Source& source,
                                     const std::vector<Token>& tokens);

}  // namespace txscope::sql
