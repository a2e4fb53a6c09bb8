#pragma once

#include <functional>
#include <vector>

#include "analyze/arguments/made_up_rows.h"
#include "analyze/pair_search.h"
#include "analyze/suggest/suggested_rules.h"
#include "base/result.h"

namespace txscope::analyze {

/// Reads a changed text of the application.
using Reread = std::function<Result<sql::Application>(const std::string& text)>;
/// Whether a level may be recommended: who asks about MySQL wants none that
/// only MariaDB has.
using IsOffered = std::function<bool(const Profile&)>;

/// What was analysed, as far as repairs of it have to know.
struct Repaired {
  const sql::Application& application;  ///< with its sessions
  const std::vector<TransactionType>& types;
  const Profile& profile;
  const RuleNames& guesses;  ///< of the rules: nothing has to repair these
  std::string_view text;     ///< as the user wrote it; empty: its source
  Reread reread;
  IsOffered is_offered;
  std::uint64_t loop_bound = 1000;
  /// The last statements of the setup, which nobody wrote.
  std::size_t made_up = 0;
  const RowPlan& plan;  ///< of these
  /// Statements of the setup that fail were left out.
  bool leaves_out = false;
};

/// The calls with which something goes wrong.
struct WrongCalls {
  CallRunner& runner;
  std::vector<sql::Call> before;  ///< that `runner` has run
  /// Of the finding's run first, then all choices for the same pair.
  std::vector<std::vector<CallRunner::Part>> pair;
  /// Choices for the other pairs that show it.
  std::vector<std::vector<CallRunner::Part>> others;
};

/// Levels of the product above the one in use that may be recommended, the
/// weakest first.
[[nodiscard]] std::vector<const Profile*> stronger_levels(
    const Repaired& repaired);

/// Adds the changes that were tried and make the pair safe, those first that
/// make all pairs safe.  Each was explored whole, with every choice of
/// arguments; and one after the other the changed transactions do what the old
/// ones did.
void find_repairs(const Repaired& repaired, const WrongCalls& calls,
                  const Budget& budget, RaceFinding& finding);

}  // namespace txscope::analyze
