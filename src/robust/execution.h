#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "explore/explore.h"
#include "robust/question.h"

namespace txscope::robust {

/// A complete history with the order in which its transactions commit: the
/// order decides which version of a row follows which.
struct Execution {
  explore::ExploredHistory history;
  std::vector<exec::InstanceId> commit_order;
};

enum class Dependency : std::uint8_t {
  Session,  ///< so: an earlier transaction of the same session
  Reads,    ///< wr: the second reads what the first wrote
  Follows,  ///< ww: the second overwrites what the first wrote
  Misses,   ///< rw: the first read a version that the second overwrites
};
[[nodiscard]] std::string_view name(Dependency kind);

struct DependencyEdge {
  exec::InstanceId from;
  exec::InstanceId to;
  Dependency kind = Dependency::Session;
  std::optional<KeyId> key;  ///< none for so
};

class Dependence;

/// A shortest cycle of an execution's dependency graph, starting at its
/// pivot if it has one; empty if there is none.  Cycles with as few rw edges as
/// possible come first: the fewer, the graver the anomaly.  `dependence` says
/// which wr and rw count, none: all, by rows; ww are by rows in any case.
[[nodiscard]] std::vector<DependencyEdge> find_cycle(
    const exec::Script& script, const Execution& of,
    const Dependence* dependence = nullptr);

/// Whose writes the reads of each transaction depend on last, row by row, as
/// numbers; and who writes each row last, if `has_last`.  By rows, and by all
/// finer granularities up to the dependence's.
[[nodiscard]] std::vector<std::vector<std::int64_t>> reads_from(
    const exec::Script& script, const Execution& of, Dependence& dependence,
    Granularity finest, bool has_last);

/// The transaction between two adjacent rw edges of a cycle: the one that read
/// early and committed late.  Every cycle that snapshot isolation allows has
/// one (Fekete et al., TODS 2005).
[[nodiscard]] std::optional<exec::InstanceId> delayed_transaction(
    const std::vector<DependencyEdge>& cycle);

}  // namespace txscope::robust
