#include "smt/solver.h"

#include <z3++.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "smt/lowering.h"

namespace txscope::smt {

/// Looks at a budget while a check runs and interrupts it when that is spent.
class SolverWatch {
 public:
  SolverWatch(z3::context& context, const Budget& budget)
      : context_(context), budget_(budget), thread_([this] { run(); }) {}
  ~SolverWatch() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void set_busy(bool busy) {
    {
      const std::lock_guard lock(mutex_);
      is_busy_ = busy;
    }
    if (busy) changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      if (!is_busy_) {
        changed_.wait(lock, [this] { return is_busy_ || ends_; });
        continue;
      }
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      if (is_busy_ && budget_.spent_now()) context_.interrupt();
    }
  }

  z3::context& context_;
  const Budget& budget_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_busy_ = false;
  bool ends_ = false;
  std::thread thread_;  // last: it uses everything above
};

/// Z3 counts finer than searches do.
constexpr std::uint64_t kUnitsPerStep = 10;

class Solver::Impl {
 public:
  Impl(const Terms& terms, Arithmetic arithmetic, const Budget& budget)
      : terms_(terms),
        budget_(budget),
        lowering_(context_, terms, arithmetic),
        solver_(context_, z3::solver::simple()),
        watch_(context_, budget) {
    if (const auto steps = budget.steps_left())
      solver_.set("rlimit", static_cast<unsigned>(std::clamp<std::uint64_t>(
                                *steps * kUnitsPerStep, 1,
                                std::numeric_limits<unsigned>::max())));
  }

  void add(Term formula) { solver_.add(lowering_.lower(formula)); }
  void push() {
    solver_.push();
    bounded_.push_back(bounded_.back());
  }
  void pop() {
    solver_.pop();
    bounded_.pop_back();
  }

  Satisfiability check(std::span<const Term> assumptions) {
    model_.reset();
    core_.clear();
    if (budget_.spent_now()) return Satisfiability::Unknown;
    z3::expr_vector literals(context_);
    asked_.clear();
    for (const Term t : assumptions) {
      if (terms_.is_true(t)) continue;
      literals.push_back(literal(t));
      asked_.push_back(t);
    }
    assert_bounds();
    return decide(literals);
  }

  [[nodiscard]] Model model() const { return *model_; }
  [[nodiscard]] const std::vector<Term>& core() const { return core_; }
  [[nodiscard]] std::string smt_lib() { return solver_.to_smt2("unsat"); }
  [[nodiscard]] const SolverStatistics& statistics() const {
    return statistics_;
  }
  [[nodiscard]] std::uint64_t effort() const {
    const z3::stats all = solver_.statistics();
    for (unsigned i = 0; i < all.size(); ++i)
      if (all.key(i) == "rlimit count" && all.is_uint(i))
        return all.uint_value(i);
    return 0;
  }

 private:
  Satisfiability decide(const z3::expr_vector& literals) {
    const auto begin = std::chrono::steady_clock::now();
    ++statistics_.checks;
    watch_.set_busy(true);
    z3::check_result result = z3::unknown;
    try {
      result = literals.empty() ? solver_.check() : solver_.check(literals);
    } catch (const z3::exception&) {
      result = z3::unknown;  // interrupted, or out of memory
    }
    watch_.set_busy(false);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - begin;
    statistics_.seconds += took.count();
    if (result == z3::sat) keep_model();
    if (result == z3::unsat && !literals.empty()) keep_core(literals);
    return result == z3::sat     ? Satisfiability::Satisfiable
           : result == z3::unsat ? Satisfiability::Unsatisfiable
                                 : Satisfiability::Unknown;
  }

  /// Assumptions have to be literals; others get a name.
  z3::expr literal(Term t) {
    const Op op = terms_.op(t);
    if (op == Op::Variable ||
        (op == Op::Not && terms_.op(terms_.operands(t)[0]) == Op::Variable)) {
      return lowering_.lower(t);
    }
    const std::string name = "#" + std::to_string(t.index);
    const z3::expr known = context_.bool_const(name.c_str());
    solver_.add(z3::implies(known, lowering_.lower(t)));
    return known;
  }

  /// Unknowns keep their bounds, whichever scope mentioned them first.
  void assert_bounds() {
    const auto& variables = lowering_.variables();
    for (std::size_t i = bounded_.back(); i < variables.size(); ++i) {
      if (terms_.sort(variables[i]) == Sort::Int) {
        lowering_.add_bounds(variables[i], solver_);
      }
    }
    bounded_.back() = variables.size();
  }

  void keep_model() {
    const z3::model found = solver_.get_model();
    model_.emplace(terms_);
    for (const Term v : lowering_.variables()) {
      if (const auto value = lowering_.value(v, found)) model_->set(v, *value);
    }
  }

  void keep_core(const z3::expr_vector& literals) {
    const z3::expr_vector found = solver_.unsat_core();
    for (unsigned i = 0; i < literals.size(); ++i) {
      for (unsigned j = 0; j < found.size(); ++j) {
        if (z3::eq(literals[static_cast<int>(i)], found[static_cast<int>(j)])) {
          core_.push_back(asked_[i]);
          break;
        }
      }
    }
  }

  const Terms& terms_;
  const Budget& budget_;
  z3::context context_;
  Lowering lowering_;
  z3::solver solver_;
  std::vector<std::size_t> bounded_ = {0};  // by scope: variables with bounds
  std::vector<Term> asked_;
  std::vector<Term> core_;
  std::optional<Model> model_;
  SolverStatistics statistics_;
  SolverWatch watch_;
};

Solver::Solver(const Terms& terms, Arithmetic arithmetic, const Budget& budget)
    : impl_(std::make_unique<Impl>(terms, arithmetic, budget)) {}
Solver::~Solver() = default;
void Solver::add(Term formula) { impl_->add(formula); }
void Solver::push() { impl_->push(); }
void Solver::pop() { impl_->pop(); }
Satisfiability Solver::check(std::span<const Term> assumptions) {
  return impl_->check(assumptions);
}
Model Solver::model() const { return impl_->model(); }
std::vector<Term> Solver::core() const { return impl_->core(); }
std::string Solver::smt_lib() const { return impl_->smt_lib(); }
const SolverStatistics& Solver::statistics() const {
  return impl_->statistics();
}
std::uint64_t Solver::effort() const { return impl_->effort(); }

Satisfiability check_smt_lib(const std::string& text) {
  try {
    z3::context context;
    z3::solver solver(context);
    solver.from_string(text.c_str());
    switch (solver.check()) {
      case z3::sat: return Satisfiability::Satisfiable;
      case z3::unsat: return Satisfiability::Unsatisfiable;
      case z3::unknown: break;
    }
  } catch (const z3::exception&) {
    // no SMT-LIB, or out of memory
  }
  return Satisfiability::Unknown;
}

std::string solver_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return "Z3 " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(build);
}

Arithmetic fitting_arithmetic(const Terms& terms) {
  return terms.needs_bits() ? Arithmetic::BitVectors : Arithmetic::Integers;
}

}  // namespace txscope::smt
