#pragma once

#include <optional>
#include <string_view>

#include "model/sql/type.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// The value that a text denotes in a type, as PostgreSQL reads literals and
/// casts of texts: spaces around it do not matter (but to a text), booleans may
/// be abbreviated.  Nothing if it is none, or one that we do not hold: numbers
/// of more than 38 digits, NaN, infinities, dates other than YYYY-MM-DD and
/// timestamps other than YYYY-MM-DD HH:MM[:SS[.ffffff]] with or without an
/// offset from UTC, arrays of arrays.  The type's size and
/// scale are not looked at.
[[nodiscard]] std::optional<Value> parse_value(std::string_view text,
                                               const Type& type);
[[nodiscard]] std::optional<Value> parse_value(std::string_view text,
                                               TypeName type);

/// Whether an integer is within the range of this integer type.
[[nodiscard]] bool fits(std::int64_t value, TypeName type);

}  // namespace txscope::sql
