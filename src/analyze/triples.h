#pragma once

#include <vector>

#include "analyze/type_proof.h"

namespace txscope::analyze {

/// Groups of three that could form a cycle although no pair of them goes wrong,
/// those of three different transactions first.
///
/// Definition.  Cycles of types that the proof at the level does not exclude;
/// where there is no proof, three different transactions of which any two can
/// meet.
[[nodiscard]] std::vector<Group> triples_to_try(const Analysis& found,
                                                const TypeProof& proof);

}  // namespace txscope::analyze
