#include "verify/verify.h"

#include "verify/counterexample.h"
#include "verify/program_question.h"
#include "verify/rules.h"

namespace txscope::verify {

VerifyBounds bounds_of(const Question& question, std::uint64_t rounds) {
  VerifyBounds out;
  out.inputs = question.inputs.size();
  out.keys = question.keys;
  out.numerics = question.numerics;
  out.rounds = question.terms->is_false(question.cut) ? 0 : rounds;
  return out;
}

bool all_hold(const std::vector<VerifyRow>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const VerifyRow& row) { return holds(row); });
}

Error contradiction_error(const Question& question,
                          const Contradiction& found) {
  std::string names;
  for (const std::size_t i : found.assumptions) {
    if (!names.empty()) names += ", ";
    names += "\"" + question.assumptions[i].name + "\"";
  }
  if (found.assumptions.empty()) {
    return {Place{}, "no input satisfies the constraints of the tables", "",
            ""};
  }
  const NamedAssumption& last = question.assumptions[found.assumptions.back()];
  const bool is_one = found.assumptions.size() == 1;
  return {last.where,
          is_one ? "no input satisfies the assumption " + names
                 : "no input satisfies the assumptions " + names + " together",
          std::string("nothing was verified; weaken ") +
              (is_one ? "it" : "one of them"),
          last.line};
}

Result<VerifyResult> verify(const Program& program,
                            const VerifyOptions& options,
                            const Budget& budget) {
  RuleSource<ProgramQuestion> source;
  for (const Property& p : program.properties) {
    source.rules.emplace_back(p.name, std::string(name(p.kind)));
  }
  source.rules.emplace_back("errors", "errors");
  source.make = [&](std::uint64_t rounds) {
    SummaryOptions how;
    how.rounds = rounds;
    how.constant_rounds = options.loop_bound;
    how.is_unbounded = options.is_unbounded;
    return make_question(program, how, budget);
  };
  source.show = [&](const ProgramQuestion& question, std::size_t rule,
                    Base level, const smt::Model& model,
                    Shown& shown) -> std::string {
    auto made = confirm(program, question, rule, level, model,
                        options.loop_bound, budget);
    if (!made) return made.error().what;
    shown = *made;
    return "";
  };
  auto result = decide_rules(source, options, budget);
  if (!result) return result.error();
  result->bounds.sessions = program.sessions.size();
  for (const ProgramSession& s : program.sessions) {
    result->bounds.transactions += s.calls.size();
  }
  return result;
}

}  // namespace txscope::verify
