#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace txscope::read {

inline std::uint64_t little_endian(const char* p) {
  std::uint64_t value = 0;
  std::memcpy(&value, p, sizeof value);
  return std::endian::native == std::endian::little ? value
                                                    : __builtin_bswap64(value);
}

inline std::uint64_t big_endian(const char* p) {
  return __builtin_bswap64(little_endian(p));
}

}  // namespace txscope::read
