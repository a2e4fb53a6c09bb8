#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/statement_schedule.h"

namespace txscope::report {

/// A counterexample that was run on a database, some times.
struct ReplayedSchedule {
  StatementSchedule schedule;
  std::uint64_t times = 0;
  std::uint64_t reproduced = 0;
  std::uint64_t prevented = 0;
  FollowedSchedule example;  ///< the first that differs, else the last
};

/// "reproduced", "prevented", "diverged"
[[nodiscard]] const char* replay_word(const ReplayedSchedule& one);

/// `database`: "a private PostgreSQL 15.18"
[[nodiscard]] std::string replayed_text(
    const std::vector<ReplayedSchedule>& replayed, const std::string& database);
/// An element of "results" for each.
[[nodiscard]] nlohmann::ordered_json replayed_json(
    const std::vector<ReplayedSchedule>& replayed, const std::string& database);

}  // namespace txscope::report
