#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::sql {

__extension__ typedef __int128 Int128;

enum class Kind : std::uint8_t {
  Null,
  Bool,
  Integer,      ///< smallint, integer and bigint
  Numeric,      ///< an exact decimal: digits / 10^scale, trailing zeros kept
  Text,         ///< bytes in UTF-8, compared by their collation
  Date,         ///< days since 2000-01-01
  Timestamp,    ///< microseconds since 2000-01-01
  TimestampTz,  ///< so, in UTC
  Time,         ///< microseconds of the day
  Interval,     ///< months, days and microseconds, kept apart
  Float,        ///< real and double precision
  Enum,         ///< a label and its position in the order of the type
  Array,        ///< of one dimension
  Range,        ///< see range.h
  Row,          ///< the fields of a composite value
};

/// One SQL value: small, trivially copied, equal iff the same value of the same
/// kind (1.0 and 1.00 are different values that compare equal in SQL; NULL
/// equals NULL here).  SQL's own comparison, with NULL unknown, is the
/// evaluator's.  Texts are interned for the life of the process.  A text knows
/// by which collation SQL compares it; that is no part of the value.
class Value {
 public:
  Value() = default;  ///< NULL
  static Value boolean(bool b) { return Value(Kind::Bool, b ? 1 : 0, 0, 0); }
  static Value integer(std::int64_t i) { return Value(Kind::Integer, i, 0, 0); }
  static Value numeric(Int128 digits, unsigned scale);
  static Value text(std::string_view text);
  /// This text, compared by that collation (collation.h).
  [[nodiscard]] Value collated(std::uint16_t collation) const {
    return Value(kind_, low_, high_, collation);
  }
  static Value date(std::int64_t days) { return Value(Kind::Date, days, 0, 0); }
  static Value timestamp(std::int64_t microseconds) {
    return Value(Kind::Timestamp, microseconds, 0, 0);
  }
  static Value timestamptz(std::int64_t microseconds) {
    return Value(Kind::TimestampTz, microseconds, 0, 0);
  }
  static Value time(std::int64_t microseconds) {
    return Value(Kind::Time, microseconds, 0, 0);
  }
  static Value interval(std::int32_t months, std::int32_t days,
                        std::int64_t microseconds);
  /// `is_single`: of type real.
  static Value real(double number, bool is_single = false);
  /// `of`: the number of its type (enumeration.h).
  static Value enumerated(std::uint16_t of, std::uint32_t position,
                          std::string_view label);
  static Value array(std::span<const Value> items);
  static Value row(std::span<const Value> fields);
  /// Of two bounds; range.h makes them, and knows the flags.
  static Value range(std::span<const Value> bounds, unsigned flags);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::Null; }
  /// A Bool that is true: neither false nor NULL.
  [[nodiscard]] bool is_true() const {
    return kind_ == Kind::Bool && low_ != 0;
  }
  /// Of a Bool (0 or 1), Integer, Date or times; of an Enum its position, of an
  /// Interval the microseconds.
  [[nodiscard]] std::int64_t integer() const { return low_; }
  [[nodiscard]] Int128 digits() const;  ///< of a Numeric
  /// Of a Numeric; of an Enum the number of its type, of a Text its collation.
  [[nodiscard]] unsigned scale() const { return scale_; }
  [[nodiscard]] const std::string& text() const;  ///< of a Text or an Enum
  [[nodiscard]] std::int32_t months() const {
    return static_cast<std::int32_t>(high_ >> 32);
  }
  [[nodiscard]] std::int32_t days() const {
    return static_cast<std::int32_t>(high_ & 0xffffffff);
  }
  [[nodiscard]] double real() const;
  /// Of an Array; of a Range the bounds, of a Row the fields.
  [[nodiscard]] const std::vector<Value>& items() const;
  [[nodiscard]] unsigned flags() const {  ///< of a Range
    return static_cast<unsigned>(high_);
  }

  friend bool operator==(const Value& a, const Value& b) {
    return a.low_ == b.low_ && a.kind_ == b.kind_ && a.high_ == b.high_ &&
           (a.scale_ == b.scale_ || a.kind_ == Kind::Text);
  }
  /// A total order for containers; not SQL's.
  friend std::strong_ordering operator<=>(const Value& a, const Value& b) {
    if (const auto order = a.kind_ <=> b.kind_; order != 0) return order;
    if (a.scale_ != b.scale_ && a.kind_ != Kind::Text)
      return a.scale_ <=> b.scale_;
    if (const auto order = a.low_ <=> b.low_; order != 0) return order;
    return a.high_ <=> b.high_;
  }
  [[nodiscard]] std::uint64_t hash() const;

 private:
  Value(Kind kind, std::int64_t low, std::int64_t high, unsigned scale)
      : kind_(kind),
        scale_(static_cast<std::uint16_t>(scale)),
        low_(low),
        high_(high) {}

  Kind kind_ = Kind::Null;
  std::uint16_t scale_ = 0;
  std::int64_t low_ = 0;  ///< of a Text its number in the pool
  /// Of a Numeric, an Interval; of an Enum its label, of a Range its flags.
  std::int64_t high_ = 0;
};

/// A row of a table or of a result.
using Row = std::vector<Value>;

/// As psql prints it: t, 12, 1.50, ann, 2024-01-31; NULL as "NULL".
[[nodiscard]] std::string to_string(const Value& value);
/// As an SQL literal that PostgreSQL and MariaDB read back as the same value:
/// TRUE, 12, 1.50, 'ann''s', DATE '2024-01-31', NULL.
[[nodiscard]] std::string to_literal(const Value& value);

}  // namespace txscope::sql
