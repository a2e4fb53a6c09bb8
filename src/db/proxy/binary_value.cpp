#include "db/proxy/binary_value.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "db/proxy/wire.h"
#include "model/sql/value/value.h"

namespace txscope::db {
namespace {

std::uint64_t int64(WireReader& reader) {
  const std::uint64_t high = reader.int32();
  return high << 32 | reader.int32();
}

template <class Number>
std::string shortest(Number number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

/// Groups of four decimal digits, `weight` of them and one more before the
/// point; `scale` digits are shown behind it.
std::optional<std::string> decimal(std::string_view bytes) {
  WireReader reader(bytes);
  const unsigned groups = reader.int16();
  const int weight = static_cast<std::int16_t>(reader.int16());
  const unsigned sign = reader.int16();
  const unsigned scale = reader.int16();
  if (!reader.is_good() || groups > 40000 || scale > 20000) return std::nullopt;
  if (sign == 0xc000) return "NaN";
  if (sign == 0xd000) return "Infinity";
  if (sign == 0xf000) return "-Infinity";
  std::string digits;
  for (unsigned i = 0; i < groups; ++i) {
    std::string group = std::to_string(reader.int16());
    digits += std::string(group.size() < 4 ? 4 - group.size() : 0, '0') + group;
  }
  if (!reader.is_good()) return std::nullopt;
  // The point stands behind this many digits; it may be outside of them.
  const int before = (weight + 1) * 4;
  if (before < 0) digits.insert(0, static_cast<std::size_t>(-before), '0');
  const std::size_t point = before < 0 ? 0 : static_cast<std::size_t>(before);
  if (digits.size() < point + scale) digits.resize(point + scale, '0');
  std::string whole = digits.substr(0, point);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  std::string text = sign == 0x4000 ? "-" : "";
  text += whole.empty() ? "0" : whole;
  if (scale > 0) text += "." + digits.substr(point, scale);
  return text;
}

std::string hexadecimal_text(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string time_text(std::int64_t microseconds) {
  // A timestamp of the first day is the time behind a date.
  return sql::to_string(sql::Value::timestamp(microseconds)).substr(11);
}

}  // namespace

std::optional<std::string> from_binary(std::uint32_t oid,
                                       std::string_view bytes) {
  WireReader reader(bytes);
  const auto is = [&](std::size_t size) { return bytes.size() == size; };
  switch (oid) {
    case 16:
      return is(1) ? std::optional(bytes[0] != 0 ? "t" : "f") : std::nullopt;
    case 20:
      if (!is(8)) return std::nullopt;
      return std::to_string(static_cast<std::int64_t>(int64(reader)));
    case 21:
      if (!is(2)) return std::nullopt;
      return std::to_string(static_cast<std::int16_t>(reader.int16()));
    case 23:
      if (!is(4)) return std::nullopt;
      return std::to_string(static_cast<std::int32_t>(reader.int32()));
    case 26:
      return is(4) ? std::optional(std::to_string(reader.int32()))
                   : std::nullopt;
    case 700:
      if (!is(4)) return std::nullopt;
      return shortest(std::bit_cast<float>(reader.int32()));
    case 701:
      if (!is(8)) return std::nullopt;
      return shortest(std::bit_cast<double>(int64(reader)));
    case 1700: return decimal(bytes);
    case 1082:
      if (!is(4)) return std::nullopt;
      return sql::to_string(
          sql::Value::date(static_cast<std::int32_t>(reader.int32())));
    case 1083:
      if (!is(8)) return std::nullopt;
      return time_text(static_cast<std::int64_t>(int64(reader)));
    case 1114:
    case 1184: {
      if (!is(8)) return std::nullopt;
      const auto time = static_cast<std::int64_t>(int64(reader));
      return sql::to_string(sql::Value::timestamp(time)) +
             (oid == 1184 ? "+00" : "");
    }
    case 2950: {
      if (!is(16)) return std::nullopt;
      std::string text = hexadecimal_text(bytes);
      for (const std::size_t at : {8u, 13u, 18u, 23u}) text.insert(at, 1, '-');
      return text;
    }
    case 17: return "\\x" + hexadecimal_text(bytes);
    case 3802:  // jsonb: a version byte before the text
      if (bytes.empty()) return std::nullopt;
      return std::string(bytes.substr(1));
    case 18:
    case 19:
    case 25:
    case 114:
    case 705:
    case 1042:
    case 1043: return std::string(bytes);
    default: return std::nullopt;
  }
}

}  // namespace txscope::db
