#pragma once

#include "model/sql/log.h"

namespace txscope::logs {

/// Says what a transaction did with cursors without them.
///
/// A cursor of PostgreSQL sees what its DECLARE sees.  So the DECLARE becomes
/// its query, which showed all that the FETCHes did: every row if one of them
/// got fewer than it asked for, else with LIMIT so many.  The FETCHes become
/// CLOSE, which asks for nothing.  What goes back, is held over the
/// transaction's end or locks rows stays as it is, and is refused as that.
void fold_cursors(sql::LogTransaction& transaction);

}  // namespace txscope::logs
