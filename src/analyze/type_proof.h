#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyze/analysis.h"
#include "base/budget.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// What is proved of the transactions of an application, for all arguments and
/// any number of calls.
struct TypeProof {
  /// Pairs (a <= b) that are serializable at the level.
  std::set<std::pair<std::size_t, std::size_t>> safe_pairs;
  /// Three transactions that may be in a cycle; none: nothing is proved.
  std::optional<std::set<Group>> open;
  std::vector<LevelTable::Need> needs;  ///< empty: nothing is proved
};

/// PostgreSQL's levels only (robust::Prover); of serializable `needs`.
[[nodiscard]] TypeProof prove_types(const sql::Application& application,
                                    const std::vector<TransactionType>& types,
                                    const Profile& profile,
                                    const Budget& budget);

}  // namespace txscope::analyze
