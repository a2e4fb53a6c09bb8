#include "cli/stop_signal.h"

#include <csignal>
#include <initializer_list>

namespace txscope::cli {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;

void ask_to_stop(int signal) {
  stop_wanted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  stop_wanted = 0;
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  // A server or reader that hangs up is an error of a call, not our end.
  std::signal(SIGPIPE, SIG_IGN);
}

StopSignals::~StopSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE})
    std::signal(signal, SIG_DFL);
}

bool is_stop_wanted() { return stop_wanted != 0; }

}  // namespace txscope::cli
