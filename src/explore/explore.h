#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "exec/code.h"
#include "model/answer.h"
#include "model/level.h"
#include "model/program.h"
#include "transport/group.h"

namespace txscope::explore {

enum class Algorithm : std::uint8_t {
  Dpor,  ///< every history once
  Dfs,   ///< all orders of transactions, repetitions thrown away: a baseline
};

struct ExploreProgress {
  std::uint64_t end_states = 0;
  std::uint64_t explored = 0;
};

/// One complete history, as handed to ExploreOptions::on_history.
struct ExploredHistory {
  struct Event {
    enum class Kind : std::uint8_t { Read, OwnRead, Write };
    Kind kind = Kind::Read;
    KeyId key;
    std::int64_t value = 0;
    exec::InstanceId source;  ///< of a Read
  };
  struct Txn {
    exec::InstanceId instance;
    bool is_committed = true;
    std::vector<Event> events;
  };
  Base level = Base::Causal;
  std::vector<Txn> txns;  ///< ascending by InstanceId
};

struct ExploreOptions {
  // What is asked.
  std::vector<Base> levels;  ///< read-committed and above
  std::uint64_t loop_bound = 1000;
  /// Decide every property at every level and count its violations.  Else a
  /// level's search may end once a violation is known, after a number of steps
  /// that lets small programs be counted in full anyway.
  bool all = false;
  /// Count in how many histories each outcome is possible (Observed).
  bool outcomes = false;
  /// Find the fewest transactions that show a violation, and a schedule.
  bool explains = true;
  /// A level is decided; what is left is to explain it.
  std::function<void(const Answer&)> on_answer;
  /// Called for every complete history of every level, one at a time.
  std::function<void(const ExploredHistory&)> on_history;

  // How.
  Algorithm algorithm = Algorithm::Dpor;
  unsigned jobs = 1;
  /// Ranks that share the search and all call explore() with the same program
  /// and options; rank 0 has the answers, those of the others are undecided.
  transport::Group* ranks = nullptr;
  /// Remember every history to count those found twice; memory grows.
  bool self_check = false;
  /// Called now and then, from any thread, one at a time.
  std::function<void(const ExploreProgress&)> on_progress;
};

class Subject;

/// Explores all histories of a program at each level: one answer per level, in
/// the order of the options.  Levels from causal up
/// share one search.  An Error is the program's: `?`, too many transactions.
[[nodiscard]] Result<std::vector<Answer>> explore(const Program& program,
                                                  const ExploreOptions& options,
                                                  const Budget& budget);

/// The same for whatever can be explored.
[[nodiscard]] std::vector<Answer> explore(const Subject& subject,
                                          const ExploreOptions& options,
                                          const Budget& budget);

/// A mean of random walks and its standard error.
struct Estimate {
  double mean = 0;
  double error = 0;
};

/// How many end states a search at `level` has, by `walks` random walks.
/// Unbiased, but where the tree is uneven most walks miss its large parts.
[[nodiscard]] Result<Estimate> estimate_end_states(const Program& program,
                                                   Base level, unsigned walks,
                                                   std::uint64_t loop_bound,
                                                   std::uint64_t seed,
                                                   const Budget& budget);

}  // namespace txscope::explore
