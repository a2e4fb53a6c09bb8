#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "race/outcome/outcome.h"
#include "race/plan/plan.h"
#include "race/reduce/catalog.h"
#include "race/start/copies.h"

namespace txscope::race {

struct SearchOptions {
  bool reduces = true;   ///< leave out orders of steps that do not matter
  std::size_t jobs = 0;  ///< runs at a time; 0: by the processors
  std::size_t max_schedules = 0;  ///< 0: all
  double time_limit = 30;         ///< seconds that a request may stand still
  bool stops_at_race = false;     ///< the first one ends the search
  std::function<void(std::size_t schedules, std::size_t waiting)> on_progress;
};

/// What the search found.
struct Findings {
  std::vector<Outcome> outcomes;  ///< each once, sorted
  std::vector<Outcome> serial;    ///< of each order; `orders` has that one
  State initial;
  Catalog catalog;
  std::size_t schedules = 0;  ///< complete runs
  std::size_t cut = 0;        ///< runs that were given up as seen before
  std::vector<std::string> uncaught;  ///< SQLSTATEs that ended a request
  std::vector<std::string> caught;
  /// Runs that did not end, with what is known of each.
  std::vector<RunTrace> hung;
  std::size_t diverged = 0;
  bool is_complete = false;
  std::string why_incomplete;
  std::vector<bool> waited_outside;  ///< by request
  /// Columns that were left out because they are generated or differ each
  /// time.
  std::vector<ColumnName> ignored;
  std::map<ColumnName, ColumnName> followed;
  /// Requests that print something else each time.
  std::vector<bool> unrepeatable;

  /// Anything that its owner has to hear of: an outcome that no serial order
  /// has, a broken rule, an error that ended a request, a hang.
  [[nodiscard]] bool is_violated() const;
  [[nodiscard]] bool has_anomaly() const;
  [[nodiscard]] std::vector<std::string> broken_rules() const;
};

/// Runs the requests in every order of their steps, each on a fresh copy.
///
/// Definition.  A schedule is a complete sequence of choices: which parked step
/// goes on, which member of a deadlock fails.  Two schedules that differ by
/// swaps of adjacent independent steps (Footprint) have the same outcome.
/// Abdulla, Aronsson, Jonsson and Sagonas, POPL 2014, Section 5 (source sets,
/// sleep sets).
///
/// Method.  First every serial order, which gives the outcomes that are
/// allowed.  Then, stateless: each run repeats a prefix of choices, makes one
/// other choice, and goes on with whom it can, staying with the same request.
/// Where two dependent steps of different requests follow each other without a
/// third between, a run in which the second comes first is asked for.  Fewest
/// switches first.
///
/// Invariant.  Runs are started and taken in by a fixed rule that looks at
/// earlier results only, so the answer does not depend on timing, however many
/// run at a time.
[[nodiscard]] Result<Findings> search(const Plan& plan, Copies& copies,
                                      const SearchOptions& options,
                                      const Budget& budget);

}  // namespace txscope::race
