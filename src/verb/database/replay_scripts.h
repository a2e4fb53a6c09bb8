#pragma once

#include "report/document/document.h"
#include "txscope/report.h"

namespace txscope::verb {

/// Gives findings of applications in SQL the scripts that show them on a real
/// database: for terminals, and as a test.  Findings that no database can show
/// stay without.
void add_replay_scripts(const Report& report,
                        report::document::Document& document);

}  // namespace txscope::verb
