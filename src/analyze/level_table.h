#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyze/pair_question.h"
#include "robust/proof/prover.h"

namespace txscope::analyze {

/// What is left of a finding at another level.
using LeftAt = std::function<Left(std::size_t finding, const Profile& profile)>;

/// What of the findings is left at each of these levels, of which the first is
/// the one in use.
[[nodiscard]] LevelTable level_table(const Analysis& found,
                                     const std::vector<const Profile*>& levels,
                                     const LeftAt& left_at);

/// The weakest level of each transaction (robust::allocate), in PostgreSQL's
/// words.
[[nodiscard]] std::vector<LevelTable::Need> level_needs(
    const std::vector<std::string>& names,
    const std::vector<robust::OpenTriple>& committed,
    const std::vector<robust::OpenTriple>& snapshot);

}  // namespace txscope::analyze
