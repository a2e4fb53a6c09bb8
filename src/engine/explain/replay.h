#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/product/profile.h"
#include "engine/search/question.h"
#include "engine/search/selection.h"
#include "engine/server/trace.h"
#include "model/answer.h"

namespace txscope::engine {

/// A run done again from its moves.
struct Replayed {
  std::vector<txscope::Step> steps;
  std::vector<std::vector<CallEnd>> ends;       ///< by session and call
  std::vector<std::vector<sql::Row>> final;     ///< by table
  std::vector<std::vector<RowUse>> final_uses;  ///< the same, with writers
  std::string value;  ///< of the property: "true", "false" or "NULL"; else ""
  std::string numbers;  ///< of what decides that, as Counterexample has it
  std::vector<BrokenRule> broken;  ///< if something else was asked
  std::vector<NamedValue> variables;  ///< that the property mentions
  /// Why it cannot be done; the search was wrong, then.
  std::optional<std::string> problem;
};

/// Does the moves of some calls on a fresh engine, setup included, and says
/// what everybody saw, who had written it, and what the property is then.  It
/// is a problem if the run does not show what it was to show; whether its
/// outcome is a serial one is not looked at here.
[[nodiscard]] Replayed replay(const sql::Application& application,
                              const Profile& profile,
                              const Selection& selection, const Question& what,
                              std::span<const Move> moves,
                              std::uint64_t loop_bound, const Budget& budget);

}  // namespace txscope::engine
