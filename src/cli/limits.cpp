#include "cli/limits.h"

#include <charconv>

namespace txscope::cli {
namespace {

// A decimal number and the unit behind it.
struct Quantity {
  double number = 0;
  std::string unit;
};

std::optional<Quantity> parse_quantity(const std::string& text) {
  Quantity q;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), q.number);
  if (error != std::errc() || !(q.number >= 0) || q.number > 1e15)
    return std::nullopt;
  q.unit.assign(rest, text.data() + text.size());
  return q;
}

Error bad_option(const std::string& option, const std::string& text,
                 std::string hint) {
  return Error{Place{"txscope", 0, 0, {}},
               option + ": cannot read '" + text + "'", std::move(hint), ""};
}

std::optional<double> milliseconds_in(const std::string& unit) {
  if (unit == "ms") return 1;
  if (unit == "s" || unit.empty()) return 1e3;
  if (unit == "m" || unit == "min") return 60e3;
  if (unit == "h") return 3600e3;
  return std::nullopt;
}

// What no clock and no machine has is a mistake, not a very large limit.
constexpr double kMostMilliseconds = 1e12;  // 31 years
constexpr double kMostBytes = 1e18;

std::optional<double> bytes_in(const std::string& unit) {
  if (unit == "K" || unit == "KB" || unit == "k") return 1024;
  if (unit == "M" || unit == "MB") return 1048576;
  if (unit == "G" || unit == "GB") return 1073741824;
  return std::nullopt;
}

}  // namespace

Result<Budget::Limits> limits(const Options& options) {
  Budget::Limits found;
  if (!options.timeout.empty()) {
    const auto q = parse_quantity(options.timeout);
    const auto unit = q ? milliseconds_in(q->unit) : std::nullopt;
    if (!unit)
      return bad_option("--timeout", options.timeout, "say 500ms, 60s or 5m");
    if (q->number * *unit > kMostMilliseconds)
      return bad_option("--timeout", options.timeout, "that is too long");
    found.time =
        std::chrono::milliseconds(static_cast<std::int64_t>(q->number * *unit));
  }
  if (!options.memory.empty()) {
    const auto q = parse_quantity(options.memory);
    const auto unit = q ? bytes_in(q->unit) : std::nullopt;
    if (!unit) return bad_option("--memory", options.memory, "say 500M or 8G");
    if (q->number * *unit > kMostBytes)
      return bad_option("--memory", options.memory, "that is too much");
    found.memory_bytes = static_cast<std::uint64_t>(q->number * *unit);
  }
  return found;
}

}  // namespace txscope::cli
