#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace txscope::sql {

/// What SET CONSTRAINTS has said in a transaction.
struct ConstraintModes {
  enum class All : std::uint8_t { AsDeclared, Deferred, Immediate };
  All all = All::AsDeclared;
  std::vector<std::string> deferred = {};  ///< by name, besides

  /// Of a foreign key, a unique key or a trigger: whether it is left to COMMIT.
  template <class Constraint>
  [[nodiscard]] bool is_deferred(const Constraint& constraint) const {
    if (!constraint.is_deferrable) return false;
    if (std::find(deferred.begin(), deferred.end(), constraint.name) !=
        deferred.end()) {
      return true;
    }
    return all == All::AsDeclared ? constraint.is_deferred
                                  : all == All::Deferred;
  }
  friend bool operator==(const ConstraintModes&,
                         const ConstraintModes&) = default;
};

}  // namespace txscope::sql
