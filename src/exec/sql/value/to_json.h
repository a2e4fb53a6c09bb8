#pragma once

#include <string>

#include "model/sql/type.h"

namespace txscope::sql {

struct Json;

/// A part of what was parsed from `whole`, a value of `type`: json keeps what
/// was written, jsonb its own form.  `as_text`: a string without its quotes,
/// and null as NULL.
[[nodiscard]] Value json_part(const Json* part, std::string_view whole,
                              Type type, bool as_text);

/// A value of a type as json shows it: numbers and booleans bare, json as it
/// is, timestamps with a T, all else as a text.
[[nodiscard]] std::string json_of(const Value& value, const Type& type);

}  // namespace txscope::sql
