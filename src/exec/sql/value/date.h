#pragma once

#include <cstdint>

#include "exec/sql/query/halt.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// The day that a timestamp is on, and the midnight that starts a day.
[[nodiscard]] Value date_of_timestamp(const Value& timestamp);
[[nodiscard]] Value timestamp_of_date(const Value& date, Halt& halt);

/// PostgreSQL's days: from 4714-11-24 BC to 5874897-12-31.
inline constexpr std::int64_t kFirstDay = -2451545;
inline constexpr std::int64_t kLastDay = 2145031948;
inline constexpr std::int64_t kLastDayOfTimestamps = 106'751'983;  // 294276

/// 22008 if PostgreSQL has no such day.
[[nodiscard]] Value fit_date(std::int64_t days, Halt& halt);

}  // namespace txscope::sql
