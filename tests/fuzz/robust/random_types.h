#pragma once

#include <cstddef>
#include <string>

#include "base/random.h"

namespace txscope::robust {

/// Tables with keys of all kinds and so many transaction types over them: p0(x,
/// y), p1(x, y), ... of at most so many statements, not counting those inside.
[[nodiscard]] std::string random_types(Random& random, std::size_t types,
                                       std::size_t most = 3);

}  // namespace txscope::robust
