#include "exec/sql/mysql/encode.h"

#include <array>
#include <bit>

#include "exec/sql/value/text.h"

namespace txscope::sql::mysql {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string all;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    all += kDigits[byte >> 4];
    all += kDigits[byte & 15];
  }
  return all;
}

std::string in_base(std::uint64_t number, unsigned base) {
  std::string all;
  do {
    all.insert(all.begin(), "0123456789ABCDEF"[number % base]);
    number /= base;
  } while (number != 0);
  return all;
}

std::optional<std::string> unhex(std::string_view text) {
  const std::string even =
      (text.size() % 2 == 1 ? "0" : "") + std::string(text);
  std::string all;
  for (std::size_t i = 0; i < even.size(); i += 2) {
    unsigned byte = 0;
    for (std::size_t k = i; k < i + 2; ++k) {
      const char c = even[k];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return std::nullopt;
      byte = byte * 16 + static_cast<unsigned>(digit);
    }
    all += static_cast<char>(byte);
  }
  return all;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string all;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 |
              (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k])
                                    : 0u);
    }
    if (i != 0 && i % 57 == 0) all += '\n';
    for (std::size_t k = 0; k < 4; ++k) {
      all += i + k > bytes.size() ? '=' : kLetters[three >> (18 - 6 * k) & 63];
    }
  }
  return all;
}

std::string sha1(std::string_view text) {
  std::string bytes(text);
  bytes += '\x80';
  while (bytes.size() % 64 != 56) bytes += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes += static_cast<char>(bits >> shift & 0xff);
  std::array<std::uint32_t, 5> h = {0x67452301, 0xefcdab89, 0x98badcfe,
                                    0x10325476, 0xc3d2e1f0};
  for (std::size_t block = 0; block < bytes.size(); block += 64) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(bytes[block + i]);
    for (std::size_t i = 16; i < 80; ++i)
      w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, f] = h;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t mix = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                                : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                                : i < 60
                                    ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                    : (b ^ c ^ d) + 0xca62c1d6;
      const std::uint32_t next = std::rotl(a, 5) + mix + f + w[i];
      f = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    const std::array<std::uint32_t, 5> more = {a, b, c, d, f};
    for (std::size_t i = 0; i < h.size(); ++i) h[i] += more[i];
  }
  std::string all;
  for (const std::uint32_t part : h)
    for (int shift = 28; shift >= 0; shift -= 4)
      all += "0123456789abcdef"[part >> shift & 15];
  return all;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i)
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::string in_case(std::string_view text, bool is_upper) {
  std::string all;
  for (const std::string_view letter : characters(text)) {
    if (letter.size() == 1) {
      const char c = letter[0];
      if (is_upper && c >= 'a' && c <= 'z')
        all += static_cast<char>(c - 32);
      else if (!is_upper && c >= 'A' && c <= 'Z')
        all += static_cast<char>(c + 32);
      else
        all += c;
      continue;
    }
    unsigned point = letter.size() != 2
                         ? 0
                         : (static_cast<unsigned char>(letter[0]) & 0x1fu)
                                   << 6 |
                               (static_cast<unsigned char>(letter[1]) & 0x3fu);
    const auto in = [&](unsigned from, unsigned to) {
      return point >= from && point <= to;
    };
    if (is_upper) {
      if (in(0xe0, 0xfe) && point != 0xf7)
        point -= 32;
      else if (point == 0xff)
        point = 0x178;
      else if (in(0x3b1, 0x3c9) && point != 0x3c2)
        point -= 32;
      else if (in(0x430, 0x44f))
        point -= 32;
      else if (in(0x450, 0x45f))
        point -= 80;
      else if (in(0x100, 0x137) && point % 2 == 1 && point != 0x131)
        --point;
      else if (in(0x139, 0x148) && point % 2 == 0)
        --point;
      else if (in(0x14a, 0x177) && point % 2 == 1)
        --point;
      else if (in(0x17a, 0x17e) && point % 2 == 0)
        --point;
    } else {
      if (in(0xc0, 0xde) && point != 0xd7)
        point += 32;
      else if (point == 0x178)
        point = 0xff;
      else if (in(0x391, 0x3a9) && point != 0x3a2)
        point += 32;
      else if (in(0x410, 0x42f))
        point += 32;
      else if (in(0x400, 0x40f))
        point += 80;
      else if (in(0x100, 0x137) && point % 2 == 0 && point != 0x130)
        ++point;
      else if (in(0x139, 0x148) && point % 2 == 1)
        ++point;
      else if (in(0x14a, 0x177) && point % 2 == 0)
        ++point;
      else if (in(0x179, 0x17d) && point % 2 == 1)
        ++point;
    }
    if (point == 0) {
      all += letter;
    } else {
      all += static_cast<char>(0xc0 | point >> 6);
      all += static_cast<char>(0x80 | (point & 0x3f));
    }
  }
  return all;
}

}  // namespace txscope::sql::mysql
