#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/sql/type.h"
#include "model/sql/value/collation.h"

namespace txscope::sql::mysql {

// MySQL's types as our Type has them.
//
//   TINYINT .. BIGINT   SmallInt, Integer or BigInt; `size` is the bytes
//   BIGINT UNSIGNED     Numeric(20, 0), since its values need 64 bits; kBig
//   DECIMAL(p, s)       Numeric(p, s)
//   FLOAT, DOUBLE       Real, Double
//   CHAR, VARCHAR, TEXT Char, Varchar, Text; `of` is the collation
//   BINARY, BLOB        the same with kBinary
//   DATETIME, TIMESTAMP Timestamp; `size` is one more than the digits
//   DATE, TIME, YEAR    Date, Time, SmallInt with `scale` kYear
//   ENUM                Enum
//
// Numbers of MySQL have kNumber in `of`.  Truth values are numbers there; an
// expression that gives one has type Boolean here until somebody counts with
// it.

inline constexpr std::uint16_t kNumber = 1;
inline constexpr std::uint16_t kUnsigned = 2;
inline constexpr std::uint16_t kBig = 4;  ///< BIGINT UNSIGNED

/// `bytes` 1, 2, 3, 4 or 8.
[[nodiscard]] Type integer_type(unsigned bytes, bool is_unsigned = false);
[[nodiscard]] Type decimal_type(unsigned precision, unsigned scale,
                                bool is_unsigned = false);
[[nodiscard]] Type text_type(std::uint16_t collation = kGeneralCi);
[[nodiscard]] Type varchar_type(unsigned characters,
                                std::uint16_t collation = kGeneralCi);
[[nodiscard]] Type char_type(unsigned characters,
                             std::uint16_t collation = kGeneralCi);
/// `digits` of a second.
[[nodiscard]] Type datetime_type(unsigned digits = 0);
[[nodiscard]] Type time_type(unsigned digits = 0);
[[nodiscard]] Type year_type();

inline constexpr Type kDouble{TypeName::Double, 0, 0, TypeName::Unknown,
                              kNumber};
inline constexpr Type kDate{TypeName::Date};

/// What an operation makes of a type.
enum class Sort : std::uint8_t {
  Null,
  Integer,  ///< also a truth value
  Decimal,
  Real,
  Text,
  Date,
  DateTime,
  Time,
  Other,  ///< JSON and whatever is not of MySQL
};
[[nodiscard]] Sort sort_of(const Type& type);
/// A number or a text that only MySQL has: PostgreSQL's have 0 in `of`.
[[nodiscard]] bool is_own(const Type& type);
[[nodiscard]] bool is_unsigned(const Type& type);
[[nodiscard]] bool is_big(const Type& type);  ///< BIGINT UNSIGNED
[[nodiscard]] bool is_temporal(Sort sort);
[[nodiscard]] bool is_number(Sort sort);
/// Decimals of a number or of a second; nothing: as many as there are.
[[nodiscard]] std::optional<unsigned> decimals_of(const Type& type);
/// Digits before the point that a number may have.
[[nodiscard]] unsigned whole_digits(const Type& type);
/// The smallest and the largest integer of a type, BIGINT UNSIGNED included.
struct Range {
  Int128 low = 0;
  Int128 high = 0;
};
[[nodiscard]] Range range_of(const Type& integer);
/// Of CASE, IF, COALESCE, UNION: the type that can hold values of all.
[[nodiscard]] Type common_type(std::span<const Type> types);

/// "int(10) unsigned", "varchar(20)"
[[nodiscard]] std::string spelled(const Type& type);

}  // namespace txscope::sql::mysql
