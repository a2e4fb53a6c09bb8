#pragma once

#include <functional>

#include <span>
#include <vector>

#include "engine/search/explore_profile.h"

namespace txscope::engine {

/// Whether a level may be recommended: who asks about MySQL wants none that
/// only MariaDB has.
using IsOffered = std::function<bool(const Profile&)>;

/// Repairs for a violation, the cheap ones: locks for the SELECTs of its
/// schedule, one by one and then all of them; and the weakest stronger level of
/// the same product.  Only what a whole exploration of the
/// changed application has shown to help is told.  `known` are results for
/// levels of the unchanged application, to be used instead of exploring again.
[[nodiscard]] std::vector<Repair> find_repairs(
    const sql::Application& application, const Profile& profile,
    const Counterexample& violation, std::span<const Answer> known,
    const ProfileOptions& options, const IsOffered& is_offered,
    const Budget& budget);

/// The SELECTs of these routines whose rows can be locked.
[[nodiscard]] std::vector<Repair::Lock> lockable_selects(
    const sql::Application& application,
    const std::vector<sql::RoutineId>& routines);

/// The application with these locks.
[[nodiscard]] sql::Application with_locks(
    const sql::Application& application,
    const std::vector<Repair::Lock>& locks);

}  // namespace txscope::engine
