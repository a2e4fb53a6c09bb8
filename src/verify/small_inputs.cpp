#include "verify/small_inputs.h"

namespace txscope::verify {
namespace {

using smt::Model;
using smt::Term;

constexpr int kMaxChecks = 80;
/// Of the solver, about a second.
constexpr std::uint64_t kMaxEffort = 2'000'000;

class Minimizer {
 public:
  Minimizer(Question& question, smt::Solver& solver)
      : t_(*question.terms), solver_(solver), best_(solver.model()) {
    for (const OpenInput& input : question.inputs) {
      if (t_.value(input.value)) continue;
      inputs_.push_back(input.value);
    }
  }

  Model run() {
    shrink_all();
    for (const Term x : inputs_) shrink(x);
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool is_over() const {
    return checks_ >= kMaxChecks || solver_.effort() - begin_ > kMaxEffort;
  }

  /// Also under these; keeps the model if there is one.
  bool tries(const std::vector<Term>& more) {
    if (is_over()) return false;
    ++checks_;
    std::vector<Term> assumed = fixed_;
    assumed.insert(assumed.end(), more.begin(), more.end());
    if (solver_.check(assumed) != smt::Satisfiability::Satisfiable)
      return false;
    best_ = solver_.model();
    return true;
  }

  [[nodiscard]] Term within(Term x, std::int64_t radius) {
    return t_.all_of({t_.less_equal(t_.integer(-radius), x),
                      t_.less_equal(x, t_.integer(radius))});
  }

  void shrink_all() {
    for (const std::int64_t radius : {1, 3, 10, 100, 10000}) {
      std::vector<Term> near;
      for (const Term x : inputs_) near.push_back(within(x, radius));
      if (tries(near)) return;
    }
  }

  /// 0, 1, 2, .. first, then halving the distance; positive before negative.
  void shrink(Term x) {
    for (const std::int64_t value : {0, 1, 2, 3}) {
      if (best_.integer(x) == value || is_over()) break;
      if (tries({t_.equal(x, t_.integer(value))})) break;
    }
    const auto now = [&] { return best_.integer(x); };
    if (now() < 0) tries({t_.less_equal(t_.integer(0), x)});
    for (std::int64_t low = 0; !is_over();) {
      const std::int64_t value = now();
      if (value == INT64_MIN) break;
      const std::int64_t size = value < 0 ? -value : value;
      if (size - low <= 1) break;
      const std::int64_t middle = low + (size - low) / 2;
      const bool is_negative = value < 0;
      const Term near =
          is_negative
              ? t_.all_of({within(x, middle), t_.less_equal(x, t_.integer(0))})
              : t_.all_of({within(x, middle), t_.less_equal(t_.integer(0), x)});
      if (!tries({near})) low = middle;
    }
    fixed_.push_back(t_.equal(x, t_.integer(now())));
  }

  smt::Terms& t_;
  smt::Solver& solver_;
  Model best_;
  std::vector<Term> inputs_;
  std::vector<Term> fixed_;
  int checks_ = 0;
  std::uint64_t begin_ = solver_.effort();
};

}  // namespace

Model with_small_inputs(Question& question, smt::Solver& solver,
                        const Budget&) {
  return Minimizer(question, solver).run();
}

}  // namespace txscope::verify
