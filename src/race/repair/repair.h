#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "race/search/search.h"

namespace txscope::race {

/// A change that may leave no race.
struct Repair {
  enum class Kind : std::uint8_t { Lock, Constraint, Isolation };
  Kind kind = Kind::Lock;
  std::string what;  ///< as the user would write it
  Rewrites rewrites;
  std::string sql;        ///< done to the copy
  std::string isolation;  ///< of transactions that ask for none
};

[[nodiscard]] const char* name_of(Repair::Kind kind);

/// What is left of the race with a repair.
struct TriedRepair {
  Repair repair;
  std::size_t schedules = 0;
  bool is_complete = false;
  /// No outcome that no serial order has, no broken rule, nobody hangs.
  bool holds = false;
  std::vector<std::string> uncaught;  ///< errors that now end a request
  std::string remains;                ///< of one that does not hold
};

/// What could help, from the statements of the findings: FOR UPDATE where rows
/// are read that the same transaction writes later; a unique index where a
/// request looks for a row and inserts it; CHECK (.. >= 0) where a number falls
/// below zero; serializable.
[[nodiscard]] std::vector<Repair> possible_repairs(const Plan& plan,
                                                   const Findings& found);

/// Searches again with each of them; one that does not help ends at the first
/// race.  Never in place.
[[nodiscard]] Result<std::vector<TriedRepair>> try_repairs(
    const Plan& plan, Copies& copies, const Findings& found,
    const SearchOptions& options, const Budget& budget);

}  // namespace txscope::race
