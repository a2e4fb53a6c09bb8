#include "cli/stop_signal.h"

namespace txscope::cli {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;

// A second one ends the program as usual.
void ask_to_stop(int signal) {
  stop_wanted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  stop_wanted = 0;
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // A server or reader that hangs up is an error of a call, not our end.
    const bool is_pipe = kSignals[i] == SIGPIPE;
    // `nohup` and shells' background jobs have some ignored; so they stay.
    if (before_[i].sa_handler == SIG_IGN && !is_pipe) continue;
    action.sa_handler = is_pipe ? SIG_IGN : ask_to_stop;
    sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &before_[i], nullptr);
}

bool is_stop_wanted() { return stop_wanted != 0; }

}  // namespace txscope::cli
