#include "verify/verify.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "verify/counterexample.h"
#include "verify/program_question.h"

namespace txscope {
namespace {

constexpr std::uint64_t kFirstRounds = 4;

Error contradiction_error(const Program& program, const Question& question,
                          const Contradiction& found) {
  std::string names;
  for (const std::size_t i : found.assumptions) {
    if (!names.empty()) names += ", ";
    names += "\"" + question.assumptions[i].name + "\"";
  }
  const NamedAssumption& last =
      question
          .assumptions[found.assumptions.empty() ? 0
                                                 : found.assumptions.back()];
  (void)program;
  const bool one = found.assumptions.size() == 1;
  return {
      last.where,
      one ? "no input satisfies the assumption " + names
          : "no input satisfies the assumptions " + names + " together",
      "nothing was verified; weaken " + std::string(one ? "it" : "one of them"),
      last.line};
}

/// The program unrolled so far that no loop goes on, or as far as allowed.
class Verifier {
 public:
  Verifier(const Program& program, const VerifyOptions& options,
           const Budget& budget)
      : program_(program), options_(options), budget_(budget) {}

  Result<VerifyResult> run() {
    summary_.constant_rounds = options_.loop_bound;
    summary_.rounds = std::min(kFirstRounds, options_.loop_bound);
    for (;;) {
      auto question = make_question(program_, summary_, budget_);
      if (!question) return question.error();
      question_ = std::make_unique<ProgramQuestion>(std::move(*question));
      if (auto error = contradiction()) return std::move(*error);
      facts_ = find_executions(question_->question, options_.levels, budget_);
      if (!is_cut() || summary_.rounds >= options_.loop_bound ||
          budget_.spent_now()) {
        break;
      }
      summary_.rounds = std::min(summary_.rounds * 4, options_.loop_bound);
    }
    decide_all();
    return finish();
  }

 private:
  [[nodiscard]] bool is_cut() const {
    return std::any_of(facts_.begin(), facts_.end(), [](const LevelFacts& f) {
      return f.is_cut == smt::Answer::Satisfiable;
    });
  }

  std::optional<Error> contradiction() {
    if (has_looked_) return std::nullopt;
    has_looked_ = true;
    auto found = find_contradiction(question_->question, budget_);
    if (!found) return found.error();
    if (!*found) return std::nullopt;
    return contradiction_error(program_, question_->question, **found);
  }

  /// Rules are decided on their own, so threads share nothing but the list;
  /// all but the first build the question anew.
  void decide_all() {
    const std::size_t n = question_->question.rules.size();
    rows_.resize(n);
    decided_.resize(n);
    std::atomic<std::size_t> next = 0;
    const auto work = [&](ProgramQuestion& question) {
      for (std::size_t rule = next++; rule < n; rule = next++) {
        decide_rule(question, rule);
      }
    };
    std::vector<std::jthread> threads;
    const std::size_t jobs = std::min<std::size_t>(options_.jobs, n);
    for (std::size_t j = 1; j < jobs; ++j) {
      threads.emplace_back([&] {
        auto own = make_question(program_, summary_, budget_);
        if (own) work(*own);
      });
    }
    work(*question_);
  }

  void decide_rule(ProgramQuestion& question, std::size_t rule) {
    Decided decided =
        decide(question.question, rule, options_.levels, facts_, budget_);
    std::vector<std::shared_ptr<const Counterexample>> shown;
    std::vector<std::string> doubts;
    for (const Decided::Found& found : decided.models) {
      auto made = confirm(program_, question, rule, found.level, found.model,
                          options_.loop_bound, budget_);
      shown.push_back(made ? *made : nullptr);
      doubts.push_back(made ? "" : made.error().what);
    }
    for (const Cell& cell : decided.cells) {
      VerifyRow row;
      row.level = cell.level;
      row.property = question.question.rules[rule].name;
      row.kind = question.question.rules[rule].kind;
      row.verdict = cell.verdict;
      row.why = cell.why;
      if (cell.verdict == VerifyVerdict::Violated) {
        row.counterexample = shown[cell.model];
        if (!row.counterexample) {
          row.verdict = VerifyVerdict::Undecided;
          row.why = doubts[cell.model];
        }
      }
      rows_[rule].push_back(std::move(row));
    }
    decided_[rule] = decided.statistics;
  }

  VerifyResult finish() {
    VerifyResult out;
    for (std::size_t level = 0; level < options_.levels.size(); ++level) {
      for (auto& rows : rows_) out.rows.push_back(std::move(rows[level]));
    }
    for (const auto& s : decided_) {
      out.solver_seconds += s.seconds;
      out.checks += s.checks;
    }
    out.bounds.sessions = program_.sessions.size();
    out.bounds.transactions = question_->summaries.size();
    out.bounds.inputs = question_->question.inputs.size();
    const bool has_loops =
        !question_->question.terms->is_false(question_->question.cut);
    out.bounds.rounds = has_loops ? summary_.rounds : 0;
    out.method = "smt (" + smt::solver_version() +
                 (smt::fitting_arithmetic(*question_->question.terms) ==
                          smt::Arithmetic::Integers
                      ? ", integers with 64-bit range)"
                      : ", 64-bit vectors)");
    return out;
  }

  const Program& program_;
  const VerifyOptions& options_;
  const Budget& budget_;
  SummaryOptions summary_;
  bool has_looked_ = false;
  std::unique_ptr<ProgramQuestion> question_;
  std::vector<LevelFacts> facts_;
  std::vector<std::vector<VerifyRow>> rows_;  // by rule
  std::vector<smt::SolverStatistics> decided_;
};

}  // namespace

Result<VerifyResult> verify(const Program& program,
                            const VerifyOptions& options,
                            const Budget& budget) {
  return Verifier(program, options, budget).run();
}

}  // namespace txscope
