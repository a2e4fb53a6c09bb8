#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "exec/code.h"
#include "model/answer.h"
#include "model/level.h"
#include "model/product/profile.h"
#include "model/program.h"
#include "verify/activity.h"
#include "verify/decide.h"
#include "verify/levels_needed.h"

namespace txscope::verify {

struct VerifyRow;

struct VerifyOptions {
  std::vector<Base> levels;  ///< read-committed and above
  /// Levels of engines; only of applications in SQL.
  std::vector<const Profile*> profiles;
  std::uint64_t loop_bound = 1000;
  unsigned jobs = 1;
  /// Sums and products are those of mathematics, whatever the type.
  bool is_unbounded = false;
  bool keeps_evidence = false;  ///< of what holds (VerifyRow::evidence)
  /// A rule is decided at a level; called by one thread at a time.
  std::function<void(const VerifyRow&)> on_verdict;
  /// Also find which transactions need serializable if others run at this.
  std::optional<Base> levels_needed;
};

/// A value that the user left open, in a counterexample.
struct InputValue {
  std::string name;
  std::string text;                    ///< as people write it
  std::optional<std::int64_t> number;  ///< of an integer
};

/// Inputs for which a rule breaks, and an execution that shows it: replayed by
/// the interpreter of `explore` and confirmed by `check`.
struct VerifiedExample {
  std::vector<InputValue> inputs;
  Workload workload;  ///< with these inputs instead of open ones
  Counterexample example;
};

struct VerifyRow {
  std::string level;         ///< "causal", "postgresql:read-committed"
  std::optional<Base> base;  ///< of a level of theory
  std::string property;
  std::string kind;  ///< "invariant", "assert", "errors"
  Outcome verdict = Outcome::Undecided;
  /// Of Holds: no execution exists under the assumptions, which says nothing.
  bool is_vacuous = false;
  std::string why;     ///< of Undecided
  std::string method;  ///< if it is another than the result's
  /// Of Violated; rows of one property share it.
  std::shared_ptr<const VerifiedExample> counterexample;
  Evidence evidence;  ///< of Holds, if it was asked for (Cell::evidence)
};

/// What an answer rests on.
struct VerifyBounds {
  std::size_t sessions = 0;
  std::size_t transactions = 0;
  std::uint64_t rounds = 0;  ///< of loops that depend on inputs; 0: none does
  std::size_t inputs = 0;
  /// Of tables into which a key is inserted that depends on inputs: the keys
  /// that were looked at, as in "payment 1, 2, 3".
  std::vector<std::string> keys;
  /// Of inputs that are numerics without a precision: which ones were looked
  /// at, as in "up to 15 digits, 2 of them after the point".
  std::string numerics;
};

struct VerifyResult {
  std::vector<VerifyRow> rows;  ///< level by level, weakest first
  VerifyBounds bounds;
  std::string method;  ///< "smt (Z3 4.8.12, integers)"
  bool is_unbounded = false;
  double solver_seconds = 0;
  std::uint64_t checks = 0;
  std::optional<LevelsNeeded> needed;
  /// At the weakest level, where every rule holds.
  std::optional<Activity> activity;
};

[[nodiscard]] inline bool holds(const VerifyRow& row) {
  return row.verdict == Outcome::Holds && !row.is_vacuous;
}
/// "holds", "violated", "undecided", "vacuous".
[[nodiscard]] inline std::string_view verdict_word(const VerifyRow& row) {
  return row.is_vacuous ? "vacuous" : name(row.verdict);
}

/// Every rule holds, at every level.
[[nodiscard]] bool all_hold(const std::vector<VerifyRow>& rows);

/// Decides every rule at every level, for all inputs.  An Error is the
/// program's: assumptions that contradict each other, or its size.
[[nodiscard]] Result<VerifyResult> verify(const Program& program,
                                          const VerifyOptions& options,
                                          const Budget& budget);

}  // namespace txscope::verify
