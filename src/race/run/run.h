#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"
#include "race/plan/plan.h"
#include "race/run/application.h"
#include "race/run/schedule.h"
#include "race/wire/lane.h"

namespace txscope::race {

/// How a request ended.
struct RequestEnd {
  std::string printed;  ///< trimmed
  int status = 0;
  bool has_ended = true;
  std::string last_error;  ///< SQLSTATE, the last that the server sent to it
  std::string complaint;   ///< on standard error

  [[nodiscard]] bool is_same(const RequestEnd& other) const {
    return printed == other.printed && status == other.status;
  }
};

/// The trace of one run.
struct RunTrace {
  enum class End : std::uint8_t {
    Complete,
    Stopped,   ///< the chooser had nothing more to choose
    Diverged,  ///< what was to be chosen was not there
    Hung,      ///< a request did not come to its end in time
    Interrupted,
  };
  End end = End::Complete;
  std::vector<Event> events;
  /// What could be chosen before each event, and after the last one.
  std::vector<std::vector<Choice>> enabled;
  std::vector<RequestEnd> requests;
  std::string problem;
  /// Of one that diverged: whose turn it was waits for a lock, or has a
  /// deadlock end first.
  bool is_blocked = false;
  /// Requests that were seen to wait for something outside the database.
  std::vector<bool> waited_outside;
};

/// Where a run happens.
struct RunWorld {
  LanePlan lane;
  std::string user;                ///< whom the requests are told to be
  db::Session* control = nullptr;  ///< a session of its own, to ask who waits
  double patience = 2;  ///< seconds asleep until it waits outside the database
  double time_limit = 30;  ///< seconds without any progress (Stillness)
  /// The numbers of the server's connections are those of processes here.
  bool shares_machine = false;
  std::function<bool()> is_interrupted;
  /// Whose connections the requests work on; none: each has its own.
  Application* application = nullptr;
};

/// Chooses among what is enabled; none: the run ends here.
using Chooser = std::function<std::optional<Choice>(
    const std::vector<Event>& so_far, const std::vector<Choice>& enabled)>;

/// Runs all requests of the plan that `participates` at the same time, and lets
/// one step at a time through to the server.
///
/// Method.  Every request gets a port of its own, so that its connections are
/// known to be its.  Where an application keeps a pool, requests are started
/// one after the other, each when the one before has come to rest, and a
/// connection outside of a transaction belongs to the request that a
/// traceparent in the statement names, else to the one that is on its way:
/// there is mostly one.  After each step we wait until every request has sent
/// its next step, has ended together with its server processes, or waits for a
/// lock; whether it does is asked of the server (who_waits), and must be
/// seen twice with nothing happening between.  Then the chooser is asked.
[[nodiscard]] Result<RunTrace> run_requests(
    const Plan& plan, const std::vector<bool>& participates,
    const RunWorld& world, const Chooser& chooser);

}  // namespace txscope::race
