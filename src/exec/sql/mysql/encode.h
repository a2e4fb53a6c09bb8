#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::sql::mysql {

// Texts as letters, and in other letters.

/// The letters of Latin, Greek and Cyrillic that have both.
[[nodiscard]] std::string in_case(std::string_view text, bool is_upper);
[[nodiscard]] std::string hex(std::string_view bytes);
/// Nothing: it has other letters.
[[nodiscard]] std::optional<std::string> unhex(std::string_view text);
[[nodiscard]] std::string in_base(std::uint64_t number, unsigned base);
[[nodiscard]] std::string base64(std::string_view bytes);
/// FIPS 180-4, in hexadecimal digits.
[[nodiscard]] std::string sha1(std::string_view text);
[[nodiscard]] std::uint32_t crc32(std::string_view bytes);

}  // namespace txscope::sql::mysql
