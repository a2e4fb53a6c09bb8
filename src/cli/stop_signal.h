#pragma once

#include <array>
#include <csignal>

namespace txscope::cli {

/// While one of these lives, the first SIGINT, SIGTERM or SIGHUP only asks to
/// stop; a second one ends the program as usual.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

[[nodiscard]] bool is_stop_wanted();

}  // namespace txscope::cli
