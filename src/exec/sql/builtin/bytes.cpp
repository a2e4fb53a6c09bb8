// Bytes as texts, and their digests.  A bytea is \x and its digits.

#include <algorithm>
#include <optional>
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

/// get_byte() and set_byte().
Value one_byte(std::span<const Value> args, Halt& halt) {
  std::string bytes = bytes_of(args[0].text());
  const auto count = static_cast<std::int64_t>(bytes.size());
  const std::int64_t at = args[1].integer();
  if (at < 0 || at >= count)
    return halt.raise("2202E", "index " + std::to_string(at) +
                                   " out of valid range, 0.." +
                                   std::to_string(count - 1));
  char& byte = bytes[static_cast<std::size_t>(at)];
  if (args.size() == 2) return Value::integer(static_cast<unsigned char>(byte));
  byte = static_cast<char>(args[2].integer() & 0xff);
  return Value::text(digits_of(bytes));
}

/// convert_to() and convert_from(): texts are in UTF-8 here.
Value convert_bytes(std::span<const Value> args, bool is_from, Halt& halt) {
  const std::string encoding = ascii::lower(args[1].text());
  if (encoding != "utf8" && encoding != "utf-8")
    return halt.raise_ours("the encoding " + encoding);
  if (!is_from) return Value::text(digits_of(args[0].text()));
  std::string bytes = bytes_of(args[0].text());
  const bool is_plain = std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 128 && c != 0;
  });
  if (!is_plain) return halt.raise_ours("these bytes as a text");
  return Value::text(bytes);
}

std::string bytes_of_number(std::int64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> shift);
  return bytes;
}

std::string bytes_of_uuid(std::string digits) {
  std::erase(digits, '-');
  return bytes_of("\\x" + digits);
}

std::string sha256_bytes(std::string_view bytes) {
  return bytes_of("\\x" + sha256(bytes));
}

/// RFC 2104.
Value hmac(std::span<const Value> args, Halt& halt) {
  constexpr std::size_t kBlock = 64;
  if (ascii::lower(args[2].text()) != "sha256")
    return halt.raise_ours("hmac() by " + args[2].text());
  std::string key = args[1].text();
  if (key.size() > kBlock) key = sha256_bytes(key);
  key.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char c : key) {
    inner += static_cast<char>(c ^ 0x36);
    outer += static_cast<char>(c ^ 0x5c);
  }
  return Value::text("\\x" +
                     sha256(outer + sha256_bytes(inner + args[0].text())));
}

/// The bits of 'x1f', 'b101' or '101', as bit(count) takes them: what is too
/// long is cut, what is too short gets zeros behind.
std::optional<std::string> bits_of(std::string_view text, std::size_t count,
                                   Halt& halt) {
  const bool is_hex = text.starts_with('x') || text.starts_with('X');
  if (is_hex || text.starts_with('b') || text.starts_with('B'))
    text.remove_prefix(1);
  std::string bits;
  for (const char c : ascii::lower(std::string(text))) {
    const std::size_t digit = kHexDigits.find(c);
    if (digit == std::string_view::npos || (!is_hex && digit > 1)) {
      halt.raise("22P02", "\"" + std::string(1, c) + "\" is not a valid " +
                              (is_hex ? "hexadecimal" : "binary") + " digit");
      return std::nullopt;
    }
    for (int shift = is_hex ? 3 : 0; shift >= 0; --shift)
      bits += (digit >> shift & 1) != 0 ? '1' : '0';
  }
  bits.resize(count, '0');
  return bits;
}

Value number_of_bits(std::span<const Value> args, Halt& halt) {
  const auto count = static_cast<std::size_t>(args[1].integer());
  const bool is_long = args[2].integer() == 64;
  const auto bits = bits_of(args[0].text(), count, halt);
  if (!bits) return {};
  if (count > (is_long ? 64 : 32))
    return halt.raise(
        "22003", std::string(is_long ? "bigint" : "integer") + " out of range");
  std::uint64_t number = 0;
  for (const char bit : *bits) number = number << 1 | (bit == '1' ? 1 : 0);
  if (is_long) return Value::integer(static_cast<std::int64_t>(number));
  return Value::integer(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(number)));
}

}  // namespace

Value call_bytes(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::Encode: return encode(args, halt);
    case Builtin::Decode: return decode(args, halt);
    case Builtin::Hmac: return hmac(args, halt);
    case Builtin::GetByte:
    case Builtin::SetByte: return one_byte(args, halt);
    case Builtin::ConvertTo: return convert_bytes(args, false, halt);
    case Builtin::ConvertFrom: return convert_bytes(args, true, halt);
    case Builtin::NumberBytes:
      return Value::text(digits_of(bytes_of_number(args[0].integer())));
    case Builtin::UuidBytes:
      return Value::text(digits_of(bytes_of_uuid(args[0].text())));
    case Builtin::BitsToNumber: return number_of_bits(args, halt);
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
