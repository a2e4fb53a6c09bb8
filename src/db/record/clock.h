#pragma once

#include <chrono>
#include <cstdint>

namespace txscope::db {

/// Microseconds since it was made, by the machine's monotonic clock.
class Clock {
 public:
  [[nodiscard]] std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace txscope::db
