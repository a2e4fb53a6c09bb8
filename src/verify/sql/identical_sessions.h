#pragma once

#include <cstdint>
#include <vector>

#include "model/sql/application.h"

namespace txscope::verify {

/// Groups of sessions that make the same calls, and that no rule and no
/// assumption names: renaming them changes nothing.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> identical_sessions(
    const sql::Application& application);

}  // namespace txscope::verify
