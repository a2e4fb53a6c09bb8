// Bytes as texts, and their digests.  A bytea is \x and its digits.

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/md5.h"
#include "exec/sql/value/sha256.h"

namespace txscope::sql {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string bytes_of(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 2; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(kHexDigits.find(digits[i]) << 4 |
                               kHexDigits.find(digits[i + 1]));
  return bytes;
}

std::string digits_of(std::string_view bytes) {
  std::string digits = "\\x";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += kHexDigits[byte >> 4];
    digits += kHexDigits[byte & 15];
  }
  return digits;
}

/// Lines of 76 characters, as PostgreSQL breaks them.
std::string base64(std::string_view bytes) {
  std::string text;
  std::size_t in_line = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 |
              (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k])
                                    : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_filled = i + k > bytes.size();
      text += is_filled ? '=' : kBase64[three >> (18 - 6 * k) & 63];
    }
    in_line += 4;
    if (in_line == 76 && i + 3 < bytes.size()) {
      text += '\n';
      in_line = 0;
    }
  }
  return text;
}

Value from_base64(const std::string& text, Halt& halt) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '=') continue;
    const std::size_t six = kBase64.find(c);
    if (six == std::string_view::npos)
      return halt.raise("22023", "invalid symbol while decoding base64");
    bits = bits << 6 | static_cast<std::uint32_t>(six);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return Value::text(digits_of(bytes));
}

Value from_hex(const std::string& text, Halt& halt) {
  std::string digits = "\\x";
  for (const char c : ascii::lower(text)) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    if (kHexDigits.find(c) == std::string_view::npos)
      return halt.raise("22023", "invalid hexadecimal digit");
    digits += c;
  }
  if (digits.size() % 2 != 0)
    return halt.raise("22023",
                      "invalid hexadecimal data: odd number of digits");
  return Value::text(digits);
}

Value encode(std::span<const Value> args, Halt& halt) {
  const std::string format = ascii::lower(args[1].text());
  const std::string& digits = args[0].text();
  if (format == "hex") return Value::text(digits.substr(2));
  const std::string bytes = bytes_of(digits);
  if (format == "base64") return Value::text(base64(bytes));
  const bool is_plain = std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 128 && c != '\\' && c != 0;
  });
  if (format == "escape" && is_plain) return Value::text(bytes);
  if (format == "escape") return halt.raise_ours("these bytes as escapes");
  return halt.raise("22023", "unrecognized encoding: \"" + format + "\"");
}

Value decode(std::span<const Value> args, Halt& halt) {
  const std::string format = ascii::lower(args[1].text());
  const std::string& text = args[0].text();
  if (format == "hex") return from_hex(text, halt);
  if (format == "base64") return from_base64(text, halt);
  if (format == "escape" && text.find('\\') == std::string::npos)
    return Value::text(digits_of(text));
  if (format == "escape") return halt.raise_ours("escapes in decode()");
  return halt.raise("22023", "unrecognized encoding: \"" + format + "\"");
}

}  // namespace

Value call_bytes(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::Encode: return encode(args, halt);
    case Builtin::Decode: return decode(args, halt);
    default: break;
  }
  const bool is_bytes = e.args[0].type.name == TypeName::Bytea;
  const std::string bytes =
      is_bytes ? bytes_of(args[0].text()) : args[0].text();
  const std::string method = ascii::lower(args[1].text());
  if (method == "sha256") return Value::text("\\x" + sha256(bytes));
  if (method == "md5") return Value::text("\\x" + md5(bytes));
  return halt.raise_ours("digest() by " + method);
}

}  // namespace txscope::sql
