#include "analyze/repairs.h"

#include <algorithm>

#include "analyze/pair_question.h"
#include "repair/search.h"

namespace txscope::analyze {
namespace {

/// Steps to try all repairs of one finding.
constexpr std::uint64_t kRepairs = 4'000'000;
/// Each change is read again, with all rows of the setup.
constexpr std::size_t kLargestText = 4'000'000;

void add_once(sql::RoutineId one, std::vector<sql::RoutineId>& all) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

repair::Problem problem_of(const Repaired& repaired,
                           const RaceFinding& finding) {
  repair::Problem problem =
      repair::problem_of(repaired.application, &repaired.profile);
  if (!repaired.text.empty()) problem.text = repaired.text;
  if (finding.kind == FindingKind::Deadlock)
    problem.kind = repair::Problem::Kind::Deadlock;
  for (const Step& step : finding.example.steps)
    if (step.kind == Step::Kind::Statement || step.kind == Step::Kind::Wait)
      problem.steps.push_back(step.at);
  for (const Group& group : finding.groups)
    for (const std::size_t type : group)
      add_once(repaired.types[type].routine, problem.routines);
  problem.levels = stronger_levels(repaired);
  return problem;
}

}  // namespace

std::vector<const Profile*> stronger_levels(const Repaired& repaired) {
  std::vector<const Profile*> levels;
  for (const Profile& other : profiles())
    if (other.product == repaired.profile.product &&
        other.isolation > repaired.profile.isolation &&
        repaired.is_offered(other))
      levels.push_back(&other);
  return levels;
}

void find_repairs(const Repaired& repaired, const WrongCalls& calls,
                  const Budget& budget, RaceFinding& finding) {
  using About = PairQuestion::About;
  const repair::Problem problem = problem_of(repaired, finding);
  if (problem.text.size() > kLargestText) return;
  finding.has_tried_repairs = true;
  const Budget effort = budget.at_most(kRepairs);
  PairQuestion question(repaired, calls, effort);
  const auto search = [&](About about) {
    finding.repairs = repair::find_repairs(
        problem,
        [&](const repair::Change& change, const std::string& text) {
          return question.ask(change, text, about);
        },
        {}, effort);
  };
  const bool is_race = finding.kind == FindingKind::Race;
  search(is_race ? About::Race : About::Deadlock);
  if (finding.repairs.empty() && is_race && !question.now().broken.empty())
    search(About::Rules);
  std::stable_partition(finding.repairs.begin(), finding.repairs.end(),
                        [](const Repair& one) { return one.all_hold; });
  for (const Repair& one : finding.repairs)
    if (one.edits.empty() && one.all_hold && finding.safe_from.empty())
      finding.safe_from = one.level;
}

}  // namespace txscope::analyze
