#include "support/live_judge.h"

#include "engine/search/explore_profile.h"

namespace txscope::test {
namespace {

bool is_serialization_failure(const std::string& outcome) {
  return outcome.find("40001;") != std::string::npos;
}

std::string lines(const std::vector<std::string>& trace) {
  std::string text;
  for (const std::string& line : trace) text += "    " + line + "\n";
  return text;
}

}  // namespace

LiveDifference compare_live(const sql::Application& application,
                            const Profile& level, const LiveOptions& options) {
  LiveDifference result;
  std::set<std::string> ours;
  engine::ProfileOptions own;
  own.all = true;
  own.explains = false;
  own.on_outcome = [&](const engine::ObservedOutcome& outcome) {
    ours.insert(outcome_text(application, outcome));
  };
  const auto explored =
      engine::explore_profile(application, level, own, Budget::unlimited());
  if (!explored) {
    result.problem = explored.error().what;
    return result;
  }
  if (!explored->is_complete) {
    result.problem = "not complete: " + explored->cut_reason;
    return result;
  }
  const LiveOutcomes live = run_live(application, level, options);
  result.problem = live.problem;
  if (!result.problem.empty()) return result;
  result.interleavings = live.summary.interleavings;
  result.is_exhaustive = live.summary.is_complete();
  result.live = live.outcomes.size();
  result.ours = ours.size();
  for (const auto& [text, example] : live.outcomes)
    if (ours.count(text) == 0)
      result.missing.push_back(text + "\n" + lines(example.trace));
  if (!result.is_exhaustive) return result;
  const bool is_ssi = level.product == Product::PostgreSql &&
                      level.isolation == Isolation::Serializable;
  for (const std::string& text : ours)
    if (live.outcomes.count(text) == 0 &&
        !(is_ssi && is_serialization_failure(text)))
      result.invented.push_back(text + "\n");
  return result;
}

std::string to_string(const LiveDifference& difference) {
  std::string text =
      std::to_string(difference.interleavings) +
      " interleavings, outcomes: " + std::to_string(difference.live) +
      " live, " + std::to_string(difference.ours) + " ours\n";
  const auto some = [&](const char* what,
                        const std::vector<std::string>& outcomes) {
    if (!outcomes.empty())
      text += std::to_string(outcomes.size()) + " " + what + ":\n";
    for (std::size_t i = 0; i < outcomes.size() && i < 3; ++i)
      text += "  " + outcomes[i];
  };
  some("only live", difference.missing);
  some("only ours", difference.invented);
  return text;
}

}  // namespace txscope::test
