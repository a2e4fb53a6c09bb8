#pragma once

#include <optional>

#include "explore/engine.h"

namespace txscope::explore {

/// Why a history has a level: what has to commit before what, by InstanceId;
/// every total order that contains this is a commit order for it.  If an
/// invariant was asked about, `finals` (by KeyId; only rows that it mentions
/// count) is a state in which these orders end and which breaks it.
struct HistoryWitness {
  std::vector<std::vector<bool>> precedes;
  std::vector<std::int64_t> finals;
};

/// Nothing if the history lacks the level or keeps the invariant, given as an
/// index into Code::conditions.
[[nodiscard]] std::optional<HistoryWitness> find_witness(
    const exec::Script& script, const WorkItem& history,
    std::span<const exec::InstanceId> active, Base level,
    std::optional<std::size_t> invariant, std::uint64_t loop_bound,
    const Budget& budget);

}  // namespace txscope::explore
