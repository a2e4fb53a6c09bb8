#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

namespace txscope::race {

/// What processes are at.
struct Activity {
  bool is_asleep = true;         ///< all threads of all of them
  double processor_seconds = 0;  ///< that they have used
  void add(const Activity& other) {
    is_asleep = is_asleep && other.is_asleep;
    processor_seconds += other.processor_seconds;
  }
};
[[nodiscard]] Activity activity_of(const std::vector<pid_t>& processes);

/// For how long nothing came of somebody: the time in which it slept, and the
/// processor time that it took.  What a busy machine keeps it waiting for does
/// not count, so that a slow request is no request that hangs.
class Stillness {
 public:
  using Clock = std::chrono::steady_clock;

  /// Something came.
  void restart();
  /// Time to look again: looking costs, too.
  [[nodiscard]] bool is_due() const;
  void look(const Activity& activity);
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  Clock::time_point last_look_ = Clock::now();
  double last_processor_ = -1;  ///< none yet
  double seconds_ = 0;
};

}  // namespace txscope::race
