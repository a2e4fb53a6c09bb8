#pragma once

#include <string>

namespace txscope::cli {

/// What `--version` prints: txscope's version and those of its solvers.
[[nodiscard]] std::string version_text();

}  // namespace txscope::cli
