#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope {

/// Writes a file so that it appears whole or not at all: into a temporary
/// beside it, which is renamed.  An existing file is replaced; devices and
/// pipes are written directly.
[[nodiscard]] Result<Done> write_file_atomically(const std::string& path,
                                                 std::string_view text);

}  // namespace txscope
