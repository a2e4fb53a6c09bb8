#pragma once

#include <optional>
#include <string_view>

#include "model/sql/value/value.h"

namespace txscope::sql {

/// An interval as people write it: '1 day', '2 hours 30 minutes',
/// '-1 mon +2 days 03:04:05.6', '1 week ago', ISO 8601 (P1DT2H).  Nothing if it
/// is none of these, or out of range.
[[nodiscard]] std::optional<Value> parse_interval(std::string_view text);

/// Its length for comparisons, in microseconds: a month has 30 days of 24
/// hours.
[[nodiscard]] Int128 length_of(const Value& interval);

}  // namespace txscope::sql
