#pragma once

#include <span>
#include <vector>

#include "engine/explore_profile.h"

namespace txscope::engine {

/// A change after which a violated property holds; it was tried.
struct Repair {
  /// A SELECT whose rows are locked: by FOR UPDATE, or, where it has aggregates
  /// or DISTINCT, by a SELECT ... FOR UPDATE of the same rows just before it.
  struct Lock {
    Span select;
    bool is_before = false;
  };
  std::vector<Lock> locks;           ///< none: another level is the change
  const Profile* profile = nullptr;  ///< at which it was tried
  bool all_hold = false;             ///< every property
  /// Errors after which a transaction is to be run again, as they occur then.
  std::vector<std::string> retried;
};

/// Repairs for a violation, the cheap ones: locks for the SELECTs of its
/// schedule, one by one and then all of them; and the weakest stronger level of
/// the same product.  Only what a whole exploration of the
/// changed application has shown to help is told.  `known` are results for
/// levels of the unchanged application, to be used instead of exploring again.
[[nodiscard]] std::vector<Repair> find_repairs(
    const sql::Application& application, const Profile& profile,
    const Violation& violation, std::span<const ProfileResult> known,
    const ProfileOptions& options, const Budget& budget);

}  // namespace txscope::engine
