#include "model/sql/mysql/types.h"

#include <algorithm>

namespace txscope::sql::mysql {
namespace {

Type made(TypeName name, unsigned size, unsigned scale, unsigned of) {
  return {name, static_cast<std::uint16_t>(size),
          static_cast<std::uint16_t>(scale), TypeName::Unknown,
          static_cast<std::uint16_t>(of)};
}

bool is_integer_name(TypeName name) {
  return name == TypeName::SmallInt || name == TypeName::Integer ||
         name == TypeName::BigInt;
}

/// YEAR: a SMALLINT with this scale.
constexpr std::uint16_t kYear = 1;

unsigned bytes_of(const Type& type) {
  if (type.size != 0) return type.size;
  return type.name == TypeName::SmallInt  ? 2
         : type.name == TypeName::Integer ? 4
                                          : 8;
}

}  // namespace

Type integer_type(unsigned bytes, bool is_unsigned) {
  if (bytes == 8 && is_unsigned)
    return made(TypeName::Numeric, 20, 0, kNumber | kUnsigned | kBig);
  // Values of INT UNSIGNED need more than our Integer has.
  const TypeName name =
      bytes < 2 || (bytes == 2 && !is_unsigned)   ? TypeName::SmallInt
      : bytes < 4 || (bytes == 4 && !is_unsigned) ? TypeName::Integer
                                                  : TypeName::BigInt;
  return made(name, bytes, 0, kNumber | (is_unsigned ? kUnsigned : 0));
}

Type decimal_type(unsigned precision, unsigned scale, bool is_unsigned) {
  return made(TypeName::Numeric, precision, scale,
              kNumber | (is_unsigned ? kUnsigned : 0));
}

Type text_type(std::uint16_t collation) {
  return made(TypeName::Text, 0, 0, collation);
}
Type varchar_type(unsigned characters, std::uint16_t collation) {
  return made(TypeName::Varchar, characters, 0, collation);
}
Type char_type(unsigned characters, std::uint16_t collation) {
  return made(TypeName::Char, characters, 0, collation);
}
Type datetime_type(unsigned digits) {
  return made(TypeName::Timestamp, digits + 1, 0, 0);
}
Type time_type(unsigned digits) {
  return made(TypeName::Time, digits + 1, 0, 0);
}
Type year_type() { return made(TypeName::SmallInt, 2, kYear, kNumber); }

Sort sort_of(const Type& type) {
  switch (type.name) {
    case TypeName::Unknown: return Sort::Null;
    case TypeName::Boolean:
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: return Sort::Integer;
    case TypeName::Numeric: return is_big(type) ? Sort::Integer : Sort::Decimal;
    case TypeName::Real:
    case TypeName::Double: return Sort::Real;
    case TypeName::Text:
    case TypeName::Varchar:
    case TypeName::Char:
    case TypeName::Enum: return Sort::Text;
    case TypeName::Date: return Sort::Date;
    case TypeName::Timestamp:
    case TypeName::TimestampTz: return Sort::DateTime;
    case TypeName::Time: return Sort::Time;
    default: return Sort::Other;
  }
}

bool is_own(const Type& type) {
  switch (type.name) {
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt:
    case TypeName::Numeric:
    case TypeName::Real:
    case TypeName::Double:
    case TypeName::Text:
    case TypeName::Varchar:
    case TypeName::Char: return type.of != 0;
    default: return false;
  }
}

bool is_big(const Type& type) {
  return type.name == TypeName::Numeric && (type.of & kBig) != 0;
}

bool is_unsigned(const Type& type) {
  const bool is_number =
      is_integer_name(type.name) || type.name == TypeName::Numeric;
  return is_number && (type.of & kUnsigned) != 0;
}

bool is_temporal(Sort sort) {
  return sort == Sort::Date || sort == Sort::DateTime || sort == Sort::Time;
}

bool is_number(Sort sort) {
  return sort == Sort::Integer || sort == Sort::Decimal || sort == Sort::Real;
}

std::optional<unsigned> decimals_of(const Type& type) {
  switch (sort_of(type)) {
    case Sort::Integer: return 0;
    case Sort::Decimal: return type.scale;
    case Sort::DateTime:
    case Sort::Time: return type.size == 0 ? 0u : type.size - 1u;
    case Sort::Date: return 0;
    default: return std::nullopt;
  }
}

unsigned whole_digits(const Type& type) {
  switch (sort_of(type)) {
    case Sort::Decimal:
      return type.size == 0 ? 38u - type.scale
                            : static_cast<unsigned>(type.size - type.scale);
    case Sort::Integer: break;
    default: return 20;
  }
  if (type.name == TypeName::Boolean) return 1;
  if (is_big(type)) return 20;
  switch (bytes_of(type)) {
    case 1: return 3;
    case 2: return 5;
    case 3: return 8;
    case 4: return 10;
    default: return 19;
  }
}

Range range_of(const Type& integer) {
  if (integer.name == TypeName::Boolean) return {0, 1};
  if (integer.scale == kYear && integer.name == TypeName::SmallInt)
    return {0, 2155};
  const unsigned bits = 8 * (is_big(integer) ? 8 : bytes_of(integer));
  if (is_unsigned(integer)) return {0, (Int128{1} << bits) - 1};
  const Int128 half = Int128{1} << (bits - 1);
  return {-half, half - 1};
}

Type common_type(std::span<const Type> types) {
  Type all;
  for (const Type& type : types) {
    const Sort a = sort_of(all);
    const Sort b = sort_of(type);
    if (b == Sort::Null || all == type) continue;
    if (a == Sort::Null) {
      all = type;
      continue;
    }
    if (is_number(a) && is_number(b)) {
      if (a == Sort::Real || b == Sort::Real) {
        all = kDouble;
      } else if (a == Sort::Decimal || b == Sort::Decimal ||
                 (is_big(all) && !is_unsigned(type)) ||
                 (is_big(type) && !is_unsigned(all))) {
        const unsigned scale = std::max(*decimals_of(all), *decimals_of(type));
        const unsigned whole = std::max(whole_digits(all), whole_digits(type));
        all = decimal_type(std::min(whole + scale, 65u), scale);
      } else {
        const bool none_negative = is_unsigned(all) && is_unsigned(type);
        all = integer_type(8, none_negative && (is_big(all) || is_big(type)));
      }
      continue;
    }
    if (is_temporal(a) && is_temporal(b)) {
      const unsigned digits = std::max(*decimals_of(all), *decimals_of(type));
      all = a == b
                ? (a == Sort::Time ? time_type(digits) : datetime_type(digits))
                : datetime_type(digits);
      continue;
    }
    const std::uint16_t x = a == Sort::Text ? all.of : kNoCollation;
    const std::uint16_t y = b == Sort::Text ? type.of : kNoCollation;
    const bool has_enum =
        all.name == TypeName::Enum || type.name == TypeName::Enum;
    all = text_type(has_enum                             ? kGeneralCi
                    : a == Sort::Text && b == Sort::Text ? joint_collation(x, y)
                    : a == Sort::Text                    ? x
                                                         : y);
  }
  return all;
}

std::string spelled(const Type& type) {
  const std::string size = "(" + std::to_string(type.size) + ")";
  const char* const sign = is_unsigned(type) ? " unsigned" : "";
  switch (sort_of(type)) {
    case Sort::Integer: {
      if (type.name == TypeName::Boolean) return "boolean";
      if (is_big(type)) return "bigint unsigned";
      if (type.scale == kYear) return "year";
      const char* name = "bigint";
      switch (bytes_of(type)) {
        case 1: name = "tinyint"; break;
        case 2: name = "smallint"; break;
        case 3: name = "mediumint"; break;
        case 4: name = "int"; break;
        default: break;
      }
      return std::string(name) + sign;
    }
    case Sort::Decimal:
      return "decimal(" + std::to_string(type.size) + "," +
             std::to_string(type.scale) + ")" + sign;
    case Sort::Real: return type.name == TypeName::Real ? "float" : "double";
    case Sort::Text:
      if (type.name == TypeName::Enum) return "enum";
      if (type.name == TypeName::Text)
        return type.of == kBinary ? "blob" : "text";
      return (type.name == TypeName::Char
                  ? (type.of == kBinary ? "binary" : "char")
                  : (type.of == kBinary ? "varbinary" : "varchar")) +
             size;
    case Sort::Date: return "date";
    case Sort::DateTime:
    case Sort::Time: {
      const std::string name =
          type.name == TypeName::Time ? "time" : "datetime";
      return type.size < 2 ? name
                           : name + "(" + std::to_string(type.size - 1) + ")";
    }
    default: return to_string(type);
  }
}

}  // namespace txscope::sql::mysql
