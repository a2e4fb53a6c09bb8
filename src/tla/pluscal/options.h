#pragma once

#include "tla/pluscal/algorithm.h"
#include "tla/syntax/source.h"

namespace txscope::tla::pluscal {

/// `PlusCal options (wf, label)` anywhere in the file.
[[nodiscard]] Options options_of(const Source& source);

}  // namespace txscope::tla::pluscal
