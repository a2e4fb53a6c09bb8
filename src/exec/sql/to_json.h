#pragma once

#include <string>

#include "model/sql/type.h"

namespace txscope::sql {

/// A value of a type as json shows it: numbers and booleans bare, json as it
/// is, timestamps with a T, all else as a text.
[[nodiscard]] std::string json_of(const Value& value, const Type& type);

}  // namespace txscope::sql
