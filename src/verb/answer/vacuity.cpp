#include "verb/answer/vacuity.h"

#include <algorithm>

#include "report/page/wrap.h"

namespace txscope::verb {
namespace {

constexpr std::size_t kMostNamed = 5;

/// "a.t1, b.t2 and 3 others".
std::string some_of(const std::vector<std::string>& names) {
  if (names.size() <= kMostNamed) return report::joined(names, ", ");
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + kMostNamed);
  return report::joined(first, ", ") + " and " +
         std::to_string(names.size() - kMostNamed) + " others";
}

/// " (23505)".
std::string codes_of(const Observation& seen) {
  std::vector<std::string> all;
  for (const auto& [call, code] : seen.abort_codes)
    if (!code.empty() && std::find(all.begin(), all.end(), code) == all.end())
      all.push_back(code);
  return all.empty() ? "" : " (" + some_of(all) + ")";
}

/// Rules over what nobody changes; what has to exist was found.
std::vector<std::string> idle_rules(const Workload& workload,
                                    const Observation& seen) {
  std::vector<std::string> idle;
  if (!seen.is_complete) return idle;
  for (std::size_t p = 0; p < workload.properties.size(); ++p) {
    const Property& property = workload.properties[p];
    if (property.kind == PropertyKind::Exists) continue;
    if (!seen.is_moved[p]) idle.push_back(property.name);
  }
  return idle;
}

/// Rules that are true for want of what they name.
std::vector<std::string> unjudged_rules(const Workload& workload,
                                        const Observation& seen) {
  std::vector<std::string> unjudged;
  if (!seen.is_complete) return unjudged;
  for (std::size_t p = 0; p < seen.is_judged.size(); ++p)
    if (!seen.is_judged[p] &&
        workload.properties[p].kind != PropertyKind::Exists)
      unjudged.push_back(workload.properties[p].name);
  return unjudged;
}

bool says_nothing(const Finding& finding) {
  return finding.is_aside || finding.about == About::Error ||
         !finding.vacuous_because.empty();
}

class VacuityJudge {
 public:
  VacuityJudge(const Workload& workload, const Observation& seen,
               Report& report)
      : workload_(workload), seen_(seen), report_(report) {}

  void run(const std::vector<Answer>& answers) {
    Checked& checked = report_.checked;
    checked.rules = workload_.properties.size();
    checked.sessions = workload_.sessions.size();
    checked.transactions = workload_.call_count();
    checked.committed = seen_.committing();
    checked.statements = seen_.statements.size();
    for (const Answer& answer : answers) {
      checked.executions += answer.counts.histories;
      if (answer.outcome != Outcome::Holds) continue;
      const std::string because = why_vacuous(answer);
      if (!because.empty()) mark(answer.level, because);
    }
    const bool is_all =
        std::all_of(report_.findings.begin(), report_.findings.end(),
                    [](const auto& f) { return says_nothing(f); });
    if (is_all && !report_.findings.empty())
      checked.vacuous_because = report_.findings.front().vacuous_because;
    else if (is_told(answers))
      report_.checked.partly = unchecked_parts(workload_, seen_);
  }

 private:
  /// Where everything is violated nobody takes it for more than it is.
  [[nodiscard]] static bool is_told(const std::vector<Answer>& answers) {
    return std::any_of(answers.begin(), answers.end(), [](const Answer& a) {
      return a.outcome == Outcome::Holds;
    });
  }

  [[nodiscard]] std::string why_vacuous(const Answer& answer) const {
    const Counts& counts = answer.counts;
    if (counts.histories == 0)
      return counts.discarded > 0 ? kNoneAssumed : kNoExecution;
    if (answer.properties.empty() && answer.builtins.empty())
      return "the file has no rule";
    if (!answer.properties.empty()) return why_idle(workload_, seen_);
    if (auto why = why_nothing_happens(seen_); !why.empty()) return why;
    return why_nothing_concurrent(workload_.sessions.size(), seen_);
  }

  void mark(const std::string& level, const std::string& because) {
    for (Finding& finding : report_.findings)
      if (finding.level == level && finding.outcome == Outcome::Holds)
        finding.vacuous_because = because;
  }

  const Workload& workload_;
  const Observation& seen_;
  Report& report_;
};

}  // namespace

std::string why_nothing_happens(const Observation& seen) {
  if (!seen.is_complete) return "";
  if (seen.committing() == 0)
    return "no transaction ever commits" + codes_of(seen);
  if (!seen.statements.empty() && !seen.finds_rows())
    return "no statement ever finds a row";
  return "";
}

std::string why_idle(const Workload& workload, const Observation& seen) {
  if (auto why = why_nothing_happens(seen); !why.empty()) return why;
  const std::size_t idle = idle_rules(workload, seen).size();
  const std::size_t unjudged = unjudged_rules(workload, seen).size();
  const std::size_t all = workload.properties.size();
  if (unjudged > 0 && unjudged == all)
    return "no execution has values for what the rules name";
  if (idle == 0 || idle + unjudged < all) return "";
  return "no transaction changes what the rules look at";
}

std::string why_nothing_concurrent(std::size_t sessions,
                                   const Observation& seen) {
  if (sessions < 2)
    return "there is one session, so nothing runs at the same time";
  if (!seen.is_complete || seen.sessions_meet) return "";
  return "no two sessions meet on a row that one of them changes";
}

std::vector<std::string> unchecked_parts(const Workload& workload,
                                         const Observation& seen) {
  std::vector<std::string> parts;
  if (workload.sessions.size() < 2)
    parts.emplace_back("one session, so nothing runs at the same time");
  if (!seen.is_complete) return parts;
  std::vector<std::string> never;
  for (const auto& [call, commits] : seen.commits)
    if (!commits) never.push_back(workload.name(call));
  if (!never.empty())
    parts.push_back(some_of(never) + " never " +
                    (never.size() == 1 ? "commits" : "commit"));
  std::vector<std::string> lines;
  for (const auto& [offset, ran] : seen.statements)
    if (ran.is_write && !ran.has_found)
      lines.push_back(std::to_string(ran.at.line));
  if (!lines.empty())
    parts.push_back(
        std::string(lines.size() == 1 ? "the statement at line "
                                      : "statements at lines ") +
        some_of(lines) +
        (lines.size() == 1 ? " never finds a row" : " never find a row"));
  if (const auto idle = idle_rules(workload, seen); !idle.empty())
    parts.push_back("no transaction changes what " + some_of(idle) +
                    (idle.size() == 1 ? " looks at" : " look at"));
  if (const auto none = unjudged_rules(workload, seen); !none.empty())
    parts.push_back("no execution has values for what " + some_of(none) +
                    (none.size() == 1 ? " names" : " name"));
  if (workload.sessions.size() > 1 && !seen.sessions_meet)
    parts.emplace_back(
        "no two sessions meet on a row that one of them changes");
  return parts;
}

void judge_vacuity(const Workload& workload, const std::vector<Answer>& answers,
                   const Observation& seen, Report& report) {
  VacuityJudge(workload, seen, report).run(answers);
}

void mark_all_vacuous(const std::string& because, Report& report) {
  if (because.empty()) return;
  bool is_all = true;
  for (Finding& finding : report.findings) {
    if (finding.outcome == Outcome::Holds) finding.vacuous_because = because;
    is_all = is_all && says_nothing(finding);
  }
  if (is_all) report.checked.vacuous_because = because;
}

}  // namespace txscope::verb
