#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/comparison.h"
#include "audit/audit.h"
#include "model/anomaly.h"
#include "model/answer.h"
#include "model/sql/application.h"
#include "race/repair/repair.h"
#include "race/search/search.h"
#include "report/check_report.h"
#include "report/replay/replay_report.h"
#include "robust/result.h"
#include "tla/model.h"
#include "verb/answer/observation.h"
#include "verb/history/check_input.h"
#include "verify/verify.h"

namespace txscope::verb {

struct CheckDetail {
  std::vector<CheckedInput> inputs;  ///< by Report::inputs
};
struct ExploreDetail {
  Workload workload;
  std::vector<Answer> answers;                  ///< a level each, as asked for
  std::optional<sql::Application> application;  ///< of a file in SQL
  std::uint64_t loop_bound = 0;
  bool all = false;
  bool counts_only = false;
  Observation seen;
};
struct VerifyDetail {
  verify::VerifyResult result;
  std::uint64_t loop_bound = 0;
  bool is_inductive = false;
};
struct RobustDetail {
  robust::RobustReport report;
};
struct AuditDetail {
  audit::AuditReport report;
  sql::LogHeader header;
  double seconds = 0;
  bool evidence = false;
};
struct ModelDetail {
  ModelResult result;
  bool all_values = false;
};
struct RaceDetail {
  race::Plan plan;
  race::Findings findings;
  /// What `check` calls each outcome; empty: none, or no name.
  std::vector<Anomaly> names;
  std::vector<race::TriedRepair> repairs;
  std::string database;  ///< "a private PostgreSQL"
  std::string db;        ///< that it is a copy of; empty: none
};
struct ReplayDetail {
  race::Plan plan;
  std::uint64_t times = 0;
  std::uint64_t reproduced = 0;
  std::uint64_t prevented = 0;  ///< a request waits where it had gone on
  std::string difference;       ///< the first
  race::RunTrace trace;         ///< of the last time
};
/// Counterexamples that were run on a real database.
struct FollowDetail {
  std::vector<report::ReplayedSchedule> replayed;
  std::string database;
};
/// A counterexample as a script.
struct ScriptDetail {
  std::string text;
  std::string form;  ///< "pytest"
  std::string level;
  std::string property;
};
struct AnalyzeDetail {
  analyze::Analysis found;
  /// With the code as it was, if that was asked for.
  std::optional<analyze::Comparison> compared = {};
  bool is_quiet = false;
};
/// Entries of the dictionary, written.
struct ExplainDetail {
  std::string text;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
};

struct Detail {
  std::variant<CheckDetail, ExploreDetail, VerifyDetail, RobustDetail,
               AuditDetail, ModelDetail, AnalyzeDetail, RaceDetail,
               ReplayDetail, FollowDetail, ScriptDetail, ExplainDetail>
      found;
};

}  // namespace txscope::verb
