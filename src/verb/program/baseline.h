#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "verb/answer/document.h"

namespace txscope::verb {

/// The findings of an earlier report with the marks that people gave them: an
/// HTML report (saved with its marks) or SARIF (suppressions).  An Error if it
/// is none of txscope's.
[[nodiscard]] Result<std::vector<KnownFinding>> read_baseline(
    const std::string& file);

/// Whether the file is a list of findings, as `analyze --write-baseline` writes
/// it: its first line is a comment or a finding's id.  Anything else has to be
/// a report, so that a wrong or empty file accepts nothing in silence.
[[nodiscard]] bool is_finding_list(const std::string& file);

}  // namespace txscope::verb
