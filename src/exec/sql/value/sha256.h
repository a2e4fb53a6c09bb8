#pragma once

#include <string>
#include <string_view>

namespace txscope::sql {

/// SHA-256 (FIPS 180-4) in hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view text);
/// The same with another start, and cut.
[[nodiscard]] std::string sha224(std::string_view text);

}  // namespace txscope::sql
