#include "model/sql/value/calendar.h"

#include <array>

namespace txscope::sql {

CivilDay civil_day(std::int64_t days) {
  const std::int64_t z = days + 730425;  // since 0000-03-01
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe =
      (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const std::int64_t day = doy - (153 * mp + 2) / 5 + 1;
  const std::int64_t month = mp < 10 ? mp + 3 : mp - 9;
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), static_cast<int>(month),
          static_cast<int>(day)};
}

std::int64_t days_from(std::int64_t year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy =
      (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 730425;
}

int days_in_month(std::int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30,
                                         31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29
                               : kDays[static_cast<std::size_t>(month - 1)];
}

DayAndTime split_day(std::int64_t timestamp) {
  DayAndTime result{timestamp / kMicrosPerDay, timestamp % kMicrosPerDay};
  if (result.micros < 0) {
    result.micros += kMicrosPerDay;
    --result.days;
  }
  return result;
}

}  // namespace txscope::sql
