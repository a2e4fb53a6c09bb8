#pragma once

#include <functional>
#include <memory>

#include "base/budget.h"
#include "race/outcome/outcome.h"
#include "race/plan/plan.h"
#include "race/reduce/catalog.h"
#include "race/reduce/tree.h"
#include "race/start/copies.h"
#include "race/start/stage.h"

namespace txscope::race {

/// One run on a fresh copy, and how it ended.
struct TrialResult {
  RunTrace trace;
  std::vector<Step> steps;
  Outcome outcome;  ///< of a complete run
};

/// Runs schedules, one at a time, on a control session of its own.
class Trial {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Trial>> open(
      const Plan& plan, Copies& copies, double time_limit,
      const Budget& budget);

  /// What the database has in it at the beginning.
  [[nodiscard]] Result<Catalog> read_catalog();

  /// These requests one after the other, each alone.
  [[nodiscard]] Result<TrialResult> serial(
      const std::vector<std::size_t>& order);
  /// `catalog`: to say what steps touch; none: everything.
  [[nodiscard]] Result<TrialResult> follow(const ScheduleTree::Task& task,
                                           const Catalog* catalog);

 private:
  Trial(const Plan& plan, Copies& copies, double time_limit,
        const Budget& budget, std::unique_ptr<db::Session> control,
        std::unique_ptr<Stage> stage)
      : plan_(plan),
        copies_(copies),
        time_limit_(time_limit),
        budget_(budget),
        control_(std::move(control)),
        stage_(std::move(stage)) {}
  [[nodiscard]] RunWorld world() const;
  void note_outside(const RunTrace& trace);
  [[nodiscard]] Result<Done> look(Outcome& outcome);

  const Plan& plan_;
  Copies& copies_;
  double time_limit_;
  const Budget& budget_;
  std::unique_ptr<db::Session> control_;
  std::unique_ptr<Stage> stage_;
  /// Seconds asleep until a request waits outside the database; once one did,
  /// it will do so often.
  double patience_ = 2;
};

}  // namespace txscope::race
