#pragma once

#include <cstdint>

namespace txscope::sql {

inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosPerDay = 86'400'000'000;

struct CivilDay {
  std::int64_t year = 0;
  int month = 0;
  int day = 0;
};

/// Days since 2000-01-01 as a day of the Gregorian calendar and back (Howard
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013).
[[nodiscard]] CivilDay civil_day(std::int64_t days);
[[nodiscard]] std::int64_t days_from(std::int64_t year, int month, int day);
[[nodiscard]] int days_in_month(std::int64_t year, int month);

/// The day of a timestamp, and what is left of it (not negative).
struct DayAndTime {
  std::int64_t days = 0;
  std::int64_t micros = 0;
};
[[nodiscard]] DayAndTime split_day(std::int64_t timestamp);

}  // namespace txscope::sql
