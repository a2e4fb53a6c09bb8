#pragma once

#include <string>
#include <string_view>

namespace txscope {

/// A name or label as Graphviz reads it.
[[nodiscard]] std::string dot_quoted(std::string_view text);

}  // namespace txscope
