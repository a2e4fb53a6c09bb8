#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope::cli {

/// The whole text of a program.
[[nodiscard]] Result<std::string> read_text(const std::string& path);

/// Whether a program is an application in SQL: by the name; if that does not
/// tell, by how the text begins.
[[nodiscard]] bool is_sql(const std::string& path, std::string_view text);

}  // namespace txscope::cli
