#pragma once

#include "report/document/document.h"

namespace txscope::verb {

/// Beside the runs whose engine has kept no text (histories, logs, protocols):
/// the lines of their files, read again.  A file that cannot be read again, as
/// a pipe, one that is no text, or one that is now too short has none.
void add_input_lines(report::document::Document& document);

}  // namespace txscope::verb
