#pragma once

namespace txscope::cli {

/// While one of these lives, the first SIGINT or SIGTERM only asks to stop; a
/// second one ends the program as usual.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

[[nodiscard]] bool is_stop_wanted();

}  // namespace txscope::cli
