#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "db/session.h"
#include "race/plan/plan.h"

namespace txscope::race {

/// A rule that is not true.
struct BrokenRule {
  std::string value;  ///< "false", "NULL"
  /// The part of it that decides, with values: "4 <= 3", "there is (7, ann)";
  /// empty where that cannot be told.
  std::string numbers;

  /// "4 <= 3 is false", or only what there is; empty without numbers.
  [[nodiscard]] std::string sentence() const;
};

/// By name.
using BrokenRules = std::map<std::string, BrokenRule>;

/// Asks all rules now; an Error if one cannot be asked.
[[nodiscard]] Result<BrokenRules> broken_rules(db::Session& session,
                                               const Plan& plan);

}  // namespace txscope::race
