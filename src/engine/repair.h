#pragma once

#include <span>
#include <vector>

#include "engine/explore_profile.h"

namespace txscope::engine {

/// Repairs for a violation, the cheap ones: locks for the SELECTs of its
/// schedule, one by one and then all of them; and the weakest stronger level of
/// the same product.  Only what a whole exploration of the
/// changed application has shown to help is told.  `known` are results for
/// levels of the unchanged application, to be used instead of exploring again.
[[nodiscard]] std::vector<Repair> find_repairs(
    const sql::Application& application, const Profile& profile,
    const Counterexample& violation, std::span<const Answer> known,
    const ProfileOptions& options, const Budget& budget);

}  // namespace txscope::engine
