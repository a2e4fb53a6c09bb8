#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"
#include "race/plan/plan.h"
#include "race/run/process.h"
#include "race/wire/lane.h"

namespace txscope::race {

/// The application as a server that runs all the time and keeps a pool of
/// connections.  It reaches the database through one port of ours; whose
/// request a connection works for at a time is for the run to find out.
class Application {
 public:
  /// Starts the plan's `serve` and waits until it listens.  `user`: whom it is
  /// told to be.
  [[nodiscard]] static Result<std::unique_ptr<Application>> start(
      const Plan& plan, LanePlan lane, const std::string& user);
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  /// The server may tidy up: files that say that it runs (Rails) keep the next
  /// one from starting.
  ~Application();

  [[nodiscard]] const Listener& listener() const { return listener_; }
  [[nodiscard]] Process& process() { return *process_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Lane>>& lanes() const {
    return lanes_;
  }
  /// Takes in connections that wait, and what the server printed.
  void advance();
  /// Whether statements stop at us (a run is on) or pass.
  void let_through(bool all);
  /// Lets all that was begun come to its end, so that no connection is in a
  /// transaction; who does not end is cancelled on `control`.
  [[nodiscard]] Result<Done> drain(db::Session& control);

 private:
  Application() = default;
  /// Waits up to so long and moves what there is; whether anything happened.
  bool turn(int milliseconds);
  [[nodiscard]] Error ended();
  [[nodiscard]] bool is_at_rest() const;

  Listener listener_;
  std::optional<Process> process_;
  LanePlan lane_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  bool lets_through_ = true;
};

}  // namespace txscope::race
