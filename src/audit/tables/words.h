#pragma once

#include <string>

namespace txscope::audit {

/// Whether a text mentions a name as a word, in whatever case.
[[nodiscard]] bool names_word(const std::string& text, const std::string& name);

}  // namespace txscope::audit
