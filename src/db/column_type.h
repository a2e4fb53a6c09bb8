#pragma once

#include <cstdint>
#include <string_view>

#include "model/sql/value/value.h"

namespace txscope::db {

/// What a server says of a column or parameter, as far as a log needs it: how
/// its values are written in JSON, and which name `types` has for it.
enum class ColumnType : std::uint8_t {
  Text,
  Boolean,
  Integer,
  Double,  ///< a JSON number; NaN and infinities as text
  Decimal,
  Date,
  Time,
  Timestamp,
  TimestampTz,
  Uuid,
  Bytes,  ///< hexadecimal digits
  Json,
  Other,    ///< as the server writes it
  Unknown,  ///< a parameter whose type the client left to the server
};

/// The name in `types`; empty where JSON tells it already.
[[nodiscard]] std::string_view log_name(ColumnType type);
[[nodiscard]] sql::Kind kind_of(ColumnType type);
[[nodiscard]] ColumnType column_type(sql::Kind kind);

}  // namespace txscope::db
