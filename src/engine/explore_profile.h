#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "engine/profile.h"
#include "engine/violation.h"
#include "model/sql/application.h"
#include "model/verdict.h"

namespace txscope::engine {

struct ProfileProgress {
  std::uint64_t states = 0;
  std::uint64_t outcomes = 0;
};

struct ProfileOptions {
  /// Go on after a violation until every property is decided and everything is
  /// counted.  Else the search may end once a violation is known, after a
  /// number of states that lets small applications be counted in full anyway.
  bool all = false;
  /// Find the fewest transactions and the shortest schedule for a violation.
  bool explains = true;
  /// Also ask whether a property breaks in a state between two commits.
  bool judges_every_commit = false;
  std::uint64_t loop_bound = 1000;
  /// Leave out steps that commute with all others.  Off: every interleaving of
  /// statements is a path, for tests of the reduction.
  bool reduces = true;
  unsigned jobs = 1;
  std::function<void(const ProfileProgress&)> on_progress;
  /// Called for every distinct outcome with every final state that it can
  /// have, in no particular order.
  std::function<void(const ObservedOutcome&)> on_outcome;
};

struct PropertyVerdict {
  std::uint32_t property = 0;  ///< index into Application::properties
  Outcome verdict = Outcome::Undecided;
  /// Distinct final states that violate it.
  std::uint64_t violating = 0;
  /// With judges_every_commit: counting the states after each commit, too.
  Outcome at_every_commit = Outcome::Undecided;
};

/// Every way in which the sessions can run at one profile.
struct ProfileResult {
  const Profile* profile = nullptr;
  Outcome verdict = Outcome::Undecided;
  /// The search came to its end and no bound cut anything.
  bool is_complete = false;
  Spent spent = Spent::Nothing;
  /// Why an execution was cut, if one was: a loop's bound, or what our
  /// arithmetic cannot do.
  std::string cut_reason;

  /// Distinct outcomes: per transaction committed, or aborted with which code;
  /// per statement the rows or the count that it gave.
  std::uint64_t outcomes = 0;
  std::uint64_t final_states = 0;  ///< distinct, all tables together
  std::uint64_t states = 0;        ///< of the search, distinct
  std::uint64_t transitions = 0;
  std::uint64_t blocked = 0;    ///< transitions that end in a wait
  std::uint64_t deadlocks = 0;  ///< cycles of waits that were broken
  std::uint64_t cut = 0;
  /// Codes of aborted transactions and how many transitions ended with each:
  /// SQLSTATE, a number of MariaDB's, ORA-..., SQLITE_BUSY; `raised` for RAISE.
  std::map<std::string, std::uint64_t> aborts;

  std::vector<PropertyVerdict> properties;  ///< one per Application::properties
  /// The first violation; with `all` one per violated property.
  std::vector<Violation> violations;
  /// All serial orders of the calls, or none if there are too many.
  std::vector<SerialOutcome> serial;
};

/// Explores all outcomes of an application at a profile.  An Error is the
/// user's: `--@ level` of another product, a failing setup.
///
/// Definition.  docs/algorithms/engine.md says what each profile means.
/// Method.  An operational multi-version engine; depth-first search over its
/// states, each expanded once.
[[nodiscard]] Result<ProfileResult> explore_profile(
    const sql::Application& application, const Profile& profile,
    const ProfileOptions& options, const Budget& budget);

}  // namespace txscope::engine
