#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/budget.h"
#include "txscope/listener.h"

namespace txscope::cli {

struct Call;

/// What holds whatever an engine does: a closed standard stream is not taken
/// by a file that is opened later; Ctrl-C, SIGTERM and SIGHUP end every Budget,
/// and the process if that does not help; running out of memory in a thread is
/// "undecided", not a crash.
void install_guards();

/// Ends the process as undecided when it is late: engines end by themselves
/// when their Budget does, but a reader, a report or a single large step may
/// not notice in time.  Late is a tenth and 0.4 seconds after the time given,
/// or a tenth beyond the memory given.
class Watchdog {
 public:
  Watchdog(const Call& call, const Budget::Limits& limits);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(const Budget::Limits& limits);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;
  std::thread thread_;
};

/// For verbs that have nothing to tell before their end: the first Ctrl-C or
/// SIGTERM ends the process, and its temporary files go.
void end_at_once_on_signals();

/// For verbs that have servers to end and databases to put back: a signal gives
/// them the time for it, a second one does not.
void tidy_up_on_signals();

/// From here on the answer is known and only being written, however long its
/// reader takes: the watchdog rests.
void rest_watchdogs();

/// The "results" that JSON shows if the process has to end as undecided; until
/// this is called, one result without a level.
void promise_results(const std::vector<verb::Promise>& all);

/// One of them is decided; it is told whatever comes.
void promise_verdict(const verb::Promise& decided);
/// What was decided was not all that was asked.
void forget_verdicts();

/// Tells, in the formats of the call, that there is no verdict; returns the
/// exit status.
int undecided_at_once(const Call& call, Spent spent);

}  // namespace txscope::cli
