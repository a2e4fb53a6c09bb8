#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/product/profile.h"
#include "model/statement_schedule.h"

namespace txscope::verb {

/// Which of a report's counterexamples, and where they are to run.
struct SavedChoice {
  std::optional<Product> product;    ///< the only one that there is
  const Profile* profile = nullptr;  ///< instead of the level of the report
};

/// What a JSON report of `explore`, `verify`, `robust` or `analyze` has to be
/// run: every counterexample of an application in SQL, each schedule once.  The
/// tables and first rows come from the file that the report names.
struct SavedSchedules {
  std::vector<StatementSchedule> schedules;
  std::vector<std::string> notes;  ///< what cannot be run, and why
};
[[nodiscard]] Result<SavedSchedules> saved_schedules(
    const nlohmann::json& report, const std::string& file,
    const SavedChoice& choice);

}  // namespace txscope::verb
