#pragma once

#include <cstdint>
#include <string>

#include "model/sql/value/value.h"

namespace txscope::sql {

enum class TypeName : std::uint8_t {
  Unknown,  ///< of a bare NULL or string literal, until its use decides
  Boolean,
  SmallInt,
  Integer,
  BigInt,
  Numeric,
  Real,
  Double,
  Text,
  Varchar,
  Char,  ///< character(n): without the spaces that fill it up
  Date,
  Timestamp,
  TimestampTz,  ///< an instant; the session's time zone is UTC
  Time,
  Interval,
  Uuid,
  Bytea,
  Json,
  Jsonb,
  Enum,    ///< `of` says which
  Array,   ///< of `element` (and its `of`)
  Range,   ///< of `element`: int4range, ..., tstzrange
  Opaque,  ///< one that is only stored and shown: inet, point, ...
  Void,
  Composite,  ///< a row; `of` says of which fields (composite.h)
};

struct Type {
  TypeName name = TypeName::Unknown;
  /// Varchar, Char: the longest, in characters; 0: any.  Numeric: the
  /// precision, 0: any; and `scale`.
  std::uint16_t size = 0;
  std::uint16_t scale = 0;
  TypeName element = TypeName::Unknown;
  /// Of an Enum its number among all enums of the process (enumeration.h), of
  /// an Opaque that of its name; of a Composite its own.
  std::uint16_t of = 0;

  friend bool operator==(const Type&, const Type&) = default;
};

/// The type without size and scale.
[[nodiscard]] constexpr Type bare(Type type) {
  type.size = 0;
  type.scale = 0;
  return type;
}
/// The type of an array's or a range's elements, and of arrays of a type.
[[nodiscard]] constexpr Type element_of(const Type& array) {
  return {array.element, 0, 0, TypeName::Unknown, array.of};
}
[[nodiscard]] constexpr Type array_of(const Type& element) {
  return {TypeName::Array, 0, 0, element.name, element.of};
}

inline constexpr Type kBoolean{TypeName::Boolean};
inline constexpr Type kInteger{TypeName::Integer};
inline constexpr Type kText{TypeName::Text};

/// The kind of this type's values.
[[nodiscard]] Kind kind_of(TypeName name);
/// As PostgreSQL spells it: "integer", "numeric(10,2)", "character varying".
[[nodiscard]] std::string to_string(const Type& type);

}  // namespace txscope::sql
