#pragma once

#include <cstdint>
#include <string>

#include "model/sql/value.h"

namespace txscope::sql {

enum class TypeName : std::uint8_t {
  Unknown,  ///< of a bare NULL or string literal, until its use decides
  Boolean,
  SmallInt,
  Integer,
  BigInt,
  Numeric,
  Text,
  Varchar,
  Date,
  Timestamp,
  Void,
};

struct Type {
  TypeName name = TypeName::Unknown;
  /// Varchar: the longest, in characters; 0: any.  Numeric: the precision, 0:
  /// any; and `scale`.
  std::uint16_t size = 0;
  std::uint16_t scale = 0;

  friend bool operator==(const Type&, const Type&) = default;
};

inline constexpr Type kBoolean{TypeName::Boolean, 0, 0};
inline constexpr Type kInteger{TypeName::Integer, 0, 0};
inline constexpr Type kText{TypeName::Text, 0, 0};

/// The kind of this type's values.
[[nodiscard]] Kind kind_of(TypeName name);
/// As PostgreSQL spells it: "integer", "numeric(10,2)", "character varying".
[[nodiscard]] std::string to_string(const Type& type);

}  // namespace txscope::sql
