#include "cli/ticker.h"

#include <unistd.h>

#include <chrono>

#include "base/budget.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace txscope::cli {

Ticker::Ticker(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) != 1) return;
  thread_ = std::thread([this] {
    Progress progress;
    std::unique_lock lock(mutex_);
    const double start = seconds_since_start();
    while (!wake_.wait_for(lock, std::chrono::milliseconds(250),
                           [&] { return is_over_; })) {
      const auto seconds = static_cast<int>(seconds_since_start() - start);
      progress.show(what_ + ", " + std::to_string(seconds) + " s, " +
                    std::to_string(resident_memory() / (1024 * 1024)) + " MB");
    }
  });
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Ticker::say(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

}  // namespace txscope::cli
