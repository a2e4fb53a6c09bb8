#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace txscope::read {

/// The histories behind a path: itself, if it is a file or a directory that is
/// one history (Cobra's, Viper's); else all that are below the directory, in
/// the order of their names.  Of a run that Jepsen stored, which has its
/// history in several forms, that is history.edn.  Links to directories are
/// not followed (Jepsen's `latest` would be found twice).  The path itself if
/// there are none: opening it says what is wrong.
[[nodiscard]] std::vector<std::string> find_histories(const std::string& path);

}  // namespace txscope::read
