#include "verb/answer/certify_answers.h"

#include "certify/certify.h"
#include "check/anomaly/name_anomaly.h"
#include "check/check.h"

namespace txscope::verb {

Error does_not_stand(const std::string& input, const std::string& level,
                     const std::string& why) {
  return Error{
      Place{input, 0, 0, {}},
      "internal error: the answer for '" + level + "' does not stand: " + why,
      "please report this program", ""};
}

Result<Done> certify_answers(const Workload& workload, const Budget& budget,
                             std::vector<Answer>& answers) {
  for (Answer& answer : answers) {
    std::size_t judged = 0;
    std::vector<const Counterexample*> examples;
    for (const Counterexample& e : answer.counterexamples)
      examples.push_back(&e);
    for (const Counterexample& e : answer.witnesses) examples.push_back(&e);
    for (const Counterexample* example : examples) {
      if (example->replay_problem) {
        return does_not_stand(workload.file, answer.level,
                              *example->replay_problem);
      }
      if (!answer.base || example->steps.empty()) continue;
      const History history =
          check::history_of(workload, *example, {false, true});
      const Verdict verdict = check::check(history, {*answer.base}, budget);
      if (verdict.outcome() == Outcome::Undecided) continue;
      const certify::Certificate certificate =
          certify::certify(history, verdict);
      if (verdict.outcome() == Outcome::Violated || !certificate) {
        return does_not_stand(workload.file, answer.level,
                              "a counterexample is not of the level");
      }
      ++judged;
    }
    if (judged > 0) {
      answer.certified.push_back(
          std::to_string(judged) + " run" + (judged == 1 ? "" : "s") +
          " replayed, and judged from the definition of the level");
    } else if (!answer.base && !answer.counterexamples.empty()) {
      answer.certified.push_back(
          "the counterexample was replayed on a fresh engine");
    }
  }
  return Done{};
}

}  // namespace txscope::verb
