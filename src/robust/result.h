#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "model/repair.h"
#include "robust/counterexample.h"
#include "robust/question.h"
#include "verify/verify.h"

namespace txscope::robust {

/// Why nothing was decided, as in "time ran out".
[[nodiscard]] inline std::string why_undecided(Spent spent) {
  return spent == Spent::Memory      ? "the memory was used up"
         : spent == Spent::Cancelled ? "it was stopped"
         : spent == Spent::Steps     ? "the effort was spent"
                                     : "time ran out";
}

/// One question and its answer, ready to be shown.
struct RobustResult {
  std::string against;  ///< a level's name, or a profile's
  Notion notion = Notion::Trace;
  Granularity granularity = Granularity::Row;
  Method method = Method::Search;  ///< that answered
  Outcome answer = Outcome::Undecided;
  std::string why;  ///< undecided: what ended the search
  /// Of Robust: why that says nothing; empty: it says something.
  std::string vacuous_because = {};
  /// What was looked at: "37 states with one delayed transaction".
  std::string effort;
  /// Of open inputs, if a solver looked at all of them: what an answer rests
  /// on.
  std::optional<verify::VerifyBounds> bounds;
  std::optional<Counterexample> counterexample;
  /// Of an application with open inputs: those that the counterexample has.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<Repair> repairs;
  bool has_tried_repairs = false;
  /// Of the proof: cycles of transaction types that remain, in words, and what
  /// it needed.
  std::vector<std::string> open_cycles;
  std::vector<std::string> safe_together;  ///< types that are robust together
  /// Pairs of types, one with itself, too: those without an open cycle, and how
  /// many there are in all.
  std::vector<std::pair<std::string, std::string>> safe_pairs;
  std::size_t all_pairs = 0;
  std::uint64_t obligations = 0;
  double solver_seconds = 0;
};

/// A transaction type and the weakest level that it may run at.
struct Allocation {
  std::string transaction;
  std::string level;
  std::string reason;  ///< why not lower; empty if it is the lowest
};

struct RobustReport {
  std::string input;
  /// The transactions, or types of them, that the answer is about.
  std::vector<std::string> considered;
  /// A proof or an allocation: they are types, and any number of sessions may
  /// run them.
  bool are_types = false;
  /// Functions that write, but only inside of these transactions.
  std::vector<std::string> inside;
  std::vector<RobustResult> results;
  std::vector<Allocation> allocation;
  /// A budget ended it: every mix is serializable, but levels may be higher
  /// than needed.
  bool is_allocation_cut = false;
  /// Why an allocation says nothing; empty: it says something.
  std::string vacuous_allocation = {};
  /// Why no allocation makes every mix serializable; empty: this one does.
  std::string allocation_problem;
};

}  // namespace txscope::robust
