#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "verify/decide.h"
#include "verify/verify.h"

namespace txscope::verify {

/// A counterexample of either kind of program.
using Shown = std::shared_ptr<const VerifiedExample>;

/// Where questions come from, and who replays a model of one.
template <class Made>
struct RuleSource {
  /// Name and kind of every rule, in the question's order.
  std::vector<std::pair<std::string, std::string>> rules;
  /// The question with loops unrolled so far.
  std::function<Result<Made>(std::uint64_t rounds)> make;
  /// Shows a model as an execution.  What is wrong with it, or nothing.
  std::function<std::string(const Made&, std::size_t rule, Base level,
                            const smt::Model&, Shown&)>
      show;
};

[[nodiscard]] Error contradiction_error(const Question& question,
                                        const Contradiction& found);

/// What a question looks at; sessions and transactions are not filled in.
[[nodiscard]] VerifyBounds bounds_of(const Question& question,
                                     std::uint64_t rounds);

/// Unrolls loops until none goes on, or as far as allowed; then decides every
/// rule, side by side with several jobs.
template <class Made>
class RuleRunner {
 public:
  RuleRunner(const RuleSource<Made>& source, const VerifyOptions& options,
             const Budget& budget)
      : source_(source), options_(options), budget_(budget) {}

  Result<VerifyResult> run() {
    constexpr std::uint64_t kFirstRounds = 4;
    for (const auto& [rule, kind] : source_.rules) {
      auto& rows = rows_.emplace_back();
      for (const Base level : options_.levels) {
        rows.push_back(undecided(rule, kind, level));
      }
    }
    for (rounds_ = std::min(kFirstRounds, options_.loop_bound);;) {
      auto made = source_.make(rounds_);
      // What is known by then stays known.
      if (!made && budget_.spent_now()) break;
      if (!made) return made.error();
      made_ = std::make_unique<Made>(std::move(*made));
      made_->question.keeps_evidence = options_.keeps_evidence;
      if (made_->question.terms->is_unbounded() &&
          made_->question.terms->needs_bits()) {
        return Error{{},
                     "integers without bounds have no bits",
                     "&, |, ^, << and >> need --integers bounded",
                     ""};
      }
      if (auto error = contradiction()) return std::move(*error);
      facts_ = find_executions(made_->question, options_.levels, budget_);
      const bool is_last =
          !is_cut() || rounds_ >= options_.loop_bound || budget_.spent_now();
      // Loops that go on: a violation is one all the same.
      decide_all(is_last ? budget_ : budget_.at_most(kStepsPerUnrolling));
      if (is_last) break;
      rounds_ = std::min(rounds_ * 4, options_.loop_bound);
    }
    VerifyResult out = finish();
    if (made_ && all_hold(out.rows))
      out.activity = find_activity(made_->question, options_.levels.front(),
                                   budget_.at_most(kStepsPerUnrolling));
    if (options_.levels_needed && made_) {
      out.needed =
          find_levels_needed(made_->question, *options_.levels_needed, budget_);
    }
    return out;
  }

 private:
  /// Some seconds of the solver.
  static constexpr std::uint64_t kStepsPerUnrolling = 500'000;

  static VerifyRow undecided(const std::string& rule, const std::string& kind,
                             Base level) {
    VerifyRow row;
    row.level = name(level);
    row.base = level;
    row.property = rule;
    row.kind = kind;
    row.why = "time or memory ran out";
    return row;
  }

  [[nodiscard]] bool is_decided(std::size_t rule) const {
    return std::none_of(
        rows_[rule].begin(), rows_[rule].end(),
        [](const VerifyRow& row) { return row.verdict == Outcome::Undecided; });
  }

  [[nodiscard]] bool is_cut() const {
    return std::any_of(facts_.begin(), facts_.end(), [](const LevelFacts& f) {
      return f.is_cut == smt::Satisfiability::Satisfiable;
    });
  }

  std::optional<Error> contradiction() {
    if (has_looked_) return std::nullopt;
    has_looked_ = true;
    auto found = find_contradiction(made_->question, budget_);
    if (!found) return found.error();
    if (!*found) return std::nullopt;
    return contradiction_error(made_->question, **found);
  }

  /// Rules are decided on their own, so threads share nothing but the list;
  /// all but the first build the question anew.
  void decide_all(const Budget& budget) {
    std::vector<std::size_t> open;
    for (std::size_t rule = 0; rule < rows_.size(); ++rule) {
      if (!is_decided(rule)) open.push_back(rule);
    }
    statistics_.resize(rows_.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&](Made& made) {
      for (std::size_t i = next++; i < open.size(); i = next++) {
        decide_rule(made, open[i], budget);
      }
    };
    std::vector<std::jthread> threads;
    const std::size_t jobs = std::min<std::size_t>(options_.jobs, open.size());
    for (std::size_t j = 1; j < jobs; ++j) {
      threads.emplace_back([&] {
        auto own = source_.make(rounds_);
        if (!own) return;
        own->question.keeps_evidence = options_.keeps_evidence;
        work(*own);
      });
    }
    work(*made_);
  }

  void decide_rule(Made& made, std::size_t rule, const Budget& budget) {
    Decided decided =
        decide(made.question, rule, options_.levels, facts_, budget);
    std::vector<Shown> shown(decided.models.size());
    std::vector<std::string> doubts;
    for (std::size_t i = 0; i < decided.models.size(); ++i) {
      doubts.push_back(source_.show(made, rule, decided.models[i].level,
                                    decided.models[i].model, shown[i]));
    }
    for (std::size_t i = 0; i < decided.cells.size(); ++i) {
      const Cell& cell = decided.cells[i];
      VerifyRow& row = rows_[rule][i];
      if (row.verdict != Outcome::Undecided) continue;  // with fewer rounds
      row.verdict = cell.verdict;
      row.is_vacuous = cell.is_vacuous;
      row.why = cell.why;
      if (holds(row)) row.evidence = cell.evidence;
      if (cell.verdict == Outcome::Violated) {
        row.counterexample = shown[cell.model];
        if (!doubts[cell.model].empty()) {
          row.verdict = Outcome::Undecided;
          row.why = doubts[cell.model];
        }
      }
      tell(row);
    }
    statistics_[rule].seconds += decided.statistics.seconds;
    statistics_[rule].checks += decided.statistics.checks;
  }

  void tell(const VerifyRow& row) {
    if (!options_.on_verdict) return;
    const std::lock_guard lock(telling_);
    options_.on_verdict(row);
  }

  VerifyResult finish() {
    VerifyResult out;
    for (std::size_t level = 0; level < options_.levels.size(); ++level) {
      for (auto& rows : rows_) out.rows.push_back(std::move(rows[level]));
    }
    for (const auto& s : statistics_) {
      out.solver_seconds += s.seconds;
      out.checks += s.checks;
    }
    out.method = "smt (" + smt::solver_version() + ")";
    if (!made_) return out;
    const Question& question = made_->question;
    out.bounds = bounds_of(question, rounds_);
    out.method =
        "smt (" + smt::solver_version() + ", " + integers_of(question) + ")";
    return out;
  }

  [[nodiscard]] static std::string integers_of(const Question& question) {
    if (question.terms->is_unbounded()) return "integers without bounds";
    const bool has_integers =
        smt::fitting_arithmetic(*question.terms) == smt::Arithmetic::Integers;
    return has_integers ? "integers with their types' ranges"
                        : "64-bit vectors";
  }

  const RuleSource<Made>& source_;
  const VerifyOptions& options_;
  const Budget& budget_;
  std::uint64_t rounds_ = 0;
  bool has_looked_ = false;
  std::mutex telling_;
  std::unique_ptr<Made> made_;
  std::vector<LevelFacts> facts_;
  std::vector<std::vector<VerifyRow>> rows_;  // by rule
  std::vector<smt::SolverStatistics> statistics_;
};

template <class Made>
Result<VerifyResult> decide_rules(const RuleSource<Made>& source,
                                  const VerifyOptions& options,
                                  const Budget& budget) {
  return RuleRunner<Made>(source, options, budget).run();
}

}  // namespace txscope::verify
