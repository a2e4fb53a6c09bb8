#include "report/broken_where.h"

#include <algorithm>
#include <map>

#include "report/page/wrap.h"

namespace txscope::report {
namespace {

constexpr std::size_t kMostNamed = 3;  // levels

void add(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::string listed(const std::vector<std::string>& all) {
  if (all.size() < 2) return joined(all, "");
  const std::vector<std::string> first(all.begin(), all.end() - 1);
  return joined(first, ", ") + " and " + all.back();
}

std::string at(const std::vector<std::string>& levels, std::size_t all) {
  if (levels.size() == all && all > 1)
    return "at all " + grouped(all) + " levels";
  if (levels.size() <= kMostNamed) return "at " + listed(levels);
  return "at " + grouped(levels.size()) + " of " + grouped(all) + " levels";
}

}  // namespace

std::vector<RuleAtLevel> rules_at_levels(const AnswerReport& report) {
  std::vector<RuleAtLevel> all;
  for (std::size_t i = 0; i < report.answers->size(); ++i) {
    const Answer& answer = (*report.answers)[i];
    const bool is_vacuous =
        i < report.vacuous.size() && !report.vacuous[i].empty();
    for (const PropertyAnswer& row : answer.properties)
      all.push_back(
          {property_title(report.workload->properties[row.property.index]),
           answer.level, row.verdict, is_vacuous});
    for (const BuiltinAnswer& row : answer.builtins)
      all.push_back({"\"" + std::string(name(row.which)) + "\"", answer.level,
                     row.verdict, is_vacuous});
  }
  return all;
}

std::vector<RuleAtLevel> rules_at_levels(const verify::VerifyResult& result) {
  std::vector<RuleAtLevel> all;
  for (const verify::VerifyRow& row : result.rows)
    all.push_back({row.kind == "errors"
                       ? "\"no error\""
                       : row.kind + " \"" + row.property + "\"",
                   row.level, row.verdict, row.is_vacuous});
  return all;
}

std::string broken_where(const std::vector<RuleAtLevel>& answers) {
  std::vector<std::string> rules, levels;
  std::map<std::string, std::vector<std::string>> levels_of;
  for (const RuleAtLevel& one : answers) {
    add(levels, one.level);
    if (one.outcome != Outcome::Violated) continue;
    add(rules, one.rule);
    add(levels_of[one.rule], one.level);
  }
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    // Those that break at the same levels are told together.
    const std::vector<std::string>& own = levels_of[rules[i]];
    std::vector<std::string> together;
    bool is_first = true;
    for (std::size_t j = 0; j < rules.size(); ++j) {
      if (levels_of[rules[j]] != own) continue;
      is_first &= j >= i;
      together.push_back(rules[j]);
    }
    if (is_first)
      sentences.push_back(listed(together) +
                          (together.size() == 1 ? " breaks " : " break ") +
                          at(own, levels.size()));
  }
  return joined(sentences, "; ");
}

std::string verdict_line(const std::vector<RuleAtLevel>& answers) {
  if (answers.empty()) return "nothing was asked";
  const std::string broken = broken_where(answers);
  if (!broken.empty()) return "VIOLATED: " + broken;
  std::size_t open = 0, vacuous = 0;
  for (const RuleAtLevel& one : answers) {
    open += one.outcome == Outcome::Undecided ? 1 : 0;
    vacuous += one.is_vacuous ? 1 : 0;
  }
  const std::string all = counted(answers.size(), "question");
  if (open > 0) return "undecided: " + grouped(open) + " of " + all;
  if (vacuous > 0)
    return "VACUOUS: nothing was checked for " + grouped(vacuous) + " of " +
           all;
  return answers.size() == 1 ? "holds" : "holds: all " + all;
}

}  // namespace txscope::report
