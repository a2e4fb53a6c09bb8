#pragma once

#include <string>
#include <vector>

#include "model/outcome.h"
#include "report/answer_report.h"
#include "report/verify_report.h"

namespace txscope::report {

/// One question and its answer.
struct RuleAtLevel {
  std::string rule;  ///< invariant "covered"
  std::string level;
  Outcome outcome = Outcome::Undecided;
  bool is_vacuous = false;  ///< it holds, but of nothing
};

/// Of every rule and level that was asked.
[[nodiscard]] std::vector<RuleAtLevel> rules_at_levels(
    const AnswerReport& report);
[[nodiscard]] std::vector<RuleAtLevel> rules_at_levels(
    const verify::VerifyResult& result);

/// Which rules break at which levels, in a sentence without an end: "invariant
/// "a" breaks at read-committed; invariant "b" breaks at all 3 levels".  Empty:
/// none.
[[nodiscard]] std::string broken_where(const std::vector<RuleAtLevel>& answers);

/// What all of it comes to, worst first: "VIOLATED: ..", "undecided: 1 of 6
/// questions", "VACUOUS: ..", "holds: all 6 questions".
[[nodiscard]] std::string verdict_line(const std::vector<RuleAtLevel>& answers);

}  // namespace txscope::report
