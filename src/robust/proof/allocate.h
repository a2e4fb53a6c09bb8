#pragma once

#include <string>
#include <vector>

#include "robust/proof/prover.h"
#include "robust/result.h"

namespace txscope::robust {

/// The weakest level for every transaction type, of PostgreSQL's read
/// committed, snapshot isolation (its repeatable read) and serializable, such
/// that every mix of instances is serializable.
///
/// Source.  Vandevoort, Ketsman, Neven, "Allocating Isolation Levels to
/// Transactions in a Multiversion Setting", PODS 2023: a mix has a cycle only
/// if it has a pivot with the conditions of its own level, and not all three
/// of pivot, second and last run at serializable; and the best allocation is
/// unique, found by lowering one type after the other.
/// What the prover leaves open counts as possible; it has to know of locks.
[[nodiscard]] std::vector<Allocation> allocate(Prover& prover);

/// The same of triples that a prover has left open at each level.
[[nodiscard]] std::vector<Allocation> allocate(
    const std::vector<std::string>& names,
    const std::vector<OpenTriple>& committed,
    const std::vector<OpenTriple>& snapshot);

}  // namespace txscope::robust
