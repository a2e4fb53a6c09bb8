#pragma once

#include "audit/attempt/load.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Puts rows beside what cannot be explained: fills Found::begin, and the rows
/// of Found::schedule, or, where there is none, of Found::around.
///
/// Method.  The log's transactions run one after the other, in the order of
/// their commits or, if not all have times, of their lines; what was refused
/// changes nothing, and what may not have committed has.  That is one of the
/// orders that explain nothing: it shows a reader what the tables would have
/// held, and proves nothing.  Of a long log nothing is told.
void tell_rows(const LoadedLog& log, const Budget& budget, Found& found);

}  // namespace txscope::audit
