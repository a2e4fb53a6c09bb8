#pragma once

#include <string>
#include <string_view>

namespace txscope::sql {

/// MD5 (RFC 1321) in hexadecimal digits.
[[nodiscard]] std::string md5(std::string_view text);

}  // namespace txscope::sql
