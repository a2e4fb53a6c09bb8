#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.h"
#include "base/result.h"
#include "engine/search/question.h"
#include "engine/search/serial_sense.h"
#include "engine/server/trace.h"
#include "exec/sql/routine/ready_application.h"
#include "model/answer.h"
#include "model/product/profile.h"
#include "model/sql/application.h"

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
  /// Answer what is asked of every application, too; a serial outcome in this
  /// sense.
  std::optional<SerialSense> builtins;
  /// Stop as soon as this is found.
  std::optional<Question> stop_at;
  /// Find the fewest transactions and the shortest schedule for a violation.
  bool explains = true;
  /// Also ask whether a property breaks in a state between two commits.
  bool judges_every_commit = false;
  std::uint64_t loop_bound = 1000;
  /// Leave out steps that commute with all others.  Off: every interleaving of
  /// statements is a path, for tests of the reduction.
  bool reduces = true;
  /// States that differ only by who got which number of a sequence are one
  /// (identifiers.h).  Off, for tests, and where outcomes are told: there each
  /// number is the next one.
  bool renames = true;
  /// Of states that differ by an exchange of sessions that do the same, one is
  /// looked at (exchange.h).  Off, for tests.
  bool exchanges = true;
  std::function<void(const ProfileProgress&)> on_progress;
  /// It is decided; what is left is to explain it.
  std::function<void(const Answer&)> on_answer;
  /// Called for every distinct outcome with every final state that it can
  /// have, in no particular order.
  std::function<void(const ObservedOutcome&)> on_outcome;
  /// With the rows in the end; off, where many rows are not looked at.
  bool tells_rows = true;
};

/// Explores all outcomes of an application at a profile.  An Error is the
/// user's: `--@ level` of another product, a failing setup.
///
/// Definition.  docs/algorithms/engine.md says what each profile means.
/// Method.  An operational multi-version engine; depth-first search over its
/// states, each expanded once.  What is found is done again on a fresh engine
/// before it is told.
/// The answer's histories are distinct outcomes: per transaction committed, or
/// aborted with which code; per statement the rows or the count that it gave.
[[nodiscard]] Result<Answer> explore_profile(const sql::ReadyApplication& ready,
                                             const Profile& profile,
                                             const ProfileOptions& options,
                                             const Budget& budget);
/// The same for one that is not ready yet.
[[nodiscard]] Result<Answer> explore_profile(
    const sql::Application& application, const Profile& profile,
    const ProfileOptions& options, const Budget& budget);

}  // namespace txscope::engine
