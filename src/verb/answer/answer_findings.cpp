#include "verb/answer/answer_findings.h"

#include <algorithm>
#include <string>
#include <utility>

namespace txscope::verb {
namespace {

/// Findings about one answer.
class AnswerFindings {
 public:
  AnswerFindings(const Workload& workload, const Answer& answer)
      : workload_(workload), answer_(answer) {}

  std::vector<Finding> run() {
    for (const PropertyAnswer& row : answer_.properties) add_rule(row);
    for (const BuiltinAnswer& row : answer_.builtins) add_builtin(row);
    if (!answer_.builtins.empty()) add_errors();
    if (!found_.empty() && is_told(answer_.outcome)) return std::move(found_);
    // An assertion or an error of the program, or a bound that cut something.
    Finding finding = make("", About::Rule, answer_.outcome);
    for (const Counterexample& example : answer_.counterexamples) {
      if (example.property || example.builtin) continue;
      finding.property = example.name;
      finding.where = workload_.place(example.at);
      break;
    }
    found_.push_back(std::move(finding));
    return std::move(found_);
  }

 private:
  [[nodiscard]] Finding make(std::string property, About about,
                             Outcome outcome) const {
    Finding finding;
    finding.input = workload_.file;
    finding.level = answer_.level;
    finding.order = "session";
    finding.property = std::move(property);
    finding.about = about;
    finding.outcome = outcome;
    if (outcome == Outcome::Undecided)
      finding.why = !answer_.cut_reason.empty() ? answer_.cut_reason
                    : answer_.spent != Spent::Nothing
                        ? "the " + to_string(answer_.spent) + " budget ended"
                        : "";
    return finding;
  }

  void add_rule(const PropertyAnswer& row) {
    const Property& property = workload_.properties[row.property.index];
    Finding finding = make(property.name, About::Rule, row.verdict);
    finding.where = workload_.place(property.at);
    found_.push_back(std::move(finding));
  }

  void add_builtin(const BuiltinAnswer& row) {
    Finding finding =
        make(std::string(name(row.which)),
             row.which == Builtin::NoDeadlock ? About::Deadlock : About::Serial,
             row.verdict);
    // What nobody could tell takes nothing from the rules.
    finding.is_aside =
        !answer_.properties.empty() && row.verdict == Outcome::Undecided;
    found_.push_back(std::move(finding));
  }

  /// Transactions end with an error that the database gives, after all retries.
  void add_errors() {
    std::string codes;
    for (const std::string& code : answer_.counts.errors)
      if (code != "raised") codes += (codes.empty() ? "" : ", ") + code;
    Finding finding = make("no error ends a transaction", About::Error,
                           !codes.empty()        ? Outcome::Violated
                           : answer_.is_complete ? Outcome::Holds
                                                 : Outcome::Undecided);
    finding.why = codes;
    found_.push_back(std::move(finding));
  }

  [[nodiscard]] bool is_told(Outcome outcome) const {
    if (outcome == Outcome::Holds) return true;
    return std::any_of(found_.begin(), found_.end(), [&](const Finding& f) {
      return !f.is_aside && f.about != About::Error && f.outcome == outcome;
    });
  }

  const Workload& workload_;
  const Answer& answer_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> findings_of(const Workload& workload,
                                 const std::vector<Answer>& answers) {
  std::vector<Finding> all;
  for (const Answer& answer : answers)
    for (Finding& finding : AnswerFindings(workload, answer).run())
      all.push_back(std::move(finding));
  return all;
}

}  // namespace txscope::verb
