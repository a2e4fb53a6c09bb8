#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "base/result.h"

namespace txscope::analyze {

/// Files with the first repair that is a change of their text, of each finding
/// that counts.
struct FixedFiles {
  std::map<std::string, std::string> texts;  ///< by name
  std::vector<std::string> done;             ///< in words, one per finding
  std::vector<std::string> left;             ///< findings that stay, and why
};

/// `texts`: the files as they are; an Error: one is not as it was analysed.
[[nodiscard]] Result<FixedFiles> apply_fixes(
    const Analysis& found, std::map<std::string, std::string> texts);

/// The files that repairs would change.
[[nodiscard]] std::vector<std::string> files_to_fix(const Analysis& found);

}  // namespace txscope::analyze
