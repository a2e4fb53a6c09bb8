#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/sql/value/value.h"

namespace txscope::logs {

/// The server's time when a log began.  What clients saw and sent of the time
/// that passed since is one instant from there on, as now() is one value in
/// all transactions that are run again (TimeUse says where that matters).
class LogClock {
 public:
  /// "2030-01-31 18:00:00.5+01", as the server shows its time; none if it is
  /// no time.
  [[nodiscard]] static std::optional<LogClock> parse(std::string_view text);

  /// Of a value of this type ("timestamptz", "timestamp", or "unknown", which
  /// the server found out), seen `end` microseconds after the log began.
  void settle(sql::Value& value, std::string_view type,
              std::optional<std::int64_t> end) const;
  /// Of literals in a statement.
  void settle(std::string& sql, std::optional<std::int64_t> end) const;

 private:
  [[nodiscard]] std::optional<std::string> settled(
      std::string_view text, std::string_view type,
      std::optional<std::int64_t> end) const;

  sql::Value instant_;  ///< with its time zone
  sql::Value local_;    ///< as the server's clocks show it
};

}  // namespace txscope::logs
