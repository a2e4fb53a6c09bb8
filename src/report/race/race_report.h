#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/anomaly.h"
#include "race/repair/repair.h"
#include "race/search/search.h"

namespace txscope::report {

/// What was raced, to be told with what came of it.
struct RaceReport {
  std::string input;
  const race::Plan* plan = nullptr;
  const race::Findings* findings = nullptr;
  const std::vector<Anomaly>* names = nullptr;  ///< by outcome
  const std::vector<race::TriedRepair>* repairs = nullptr;
  std::string database;  ///< "a private PostgreSQL"
  std::string db;        ///< that it is a copy of; empty: none
  double seconds = 0;
  std::string vacuous_because = {};      ///< empty: something was checked
  std::vector<std::string> partly = {};  ///< what was not, a clause each
};

/// A schedule that was to happen again.
struct ReplayReport {
  std::string input;
  const race::Plan* plan = nullptr;
  const race::RunTrace* trace = nullptr;  ///< of the last time
  std::uint64_t times = 0;
  std::uint64_t reproduced = 0;
  std::uint64_t prevented = 0;
  std::string difference;
};

/// One element of "results".
[[nodiscard]] nlohmann::ordered_json race_json(const RaceReport& report);

/// The verdict, the shortest schedule of each finding as lanes, the serial
/// outcomes, and how much was looked at.
[[nodiscard]] std::string race_text(const RaceReport& report);

/// "reproduced", "prevented", "diverged"
[[nodiscard]] const char* replay_word(const ReplayReport& report);
[[nodiscard]] nlohmann::ordered_json replay_json(const ReplayReport& report);
[[nodiscard]] std::string replay_text(const ReplayReport& report);

/// A schedule as "request: statement -- parameters" in the order of release,
/// with waits and errors.
[[nodiscard]] std::vector<std::string> schedule_lines(
    const race::RunTrace& trace);

}  // namespace txscope::report
