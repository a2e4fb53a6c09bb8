#include "tla/liveness/labels.h"

#include <algorithm>
#include <mutex>

#include "base/big_thread.h"
#include "base/work_pool.h"

namespace txscope::tla {
namespace {

/// Marks the variables that a tuple of variables names; false if it has other
/// parts.
bool mark_variables(const Code& code, std::vector<bool>& named) {
  if (code.op == Op::Variable) {
    named[code.index] = true;
    return true;
  }
  if (code.op == Op::Call && code.count == 0 && code.def->body != nullptr &&
      code.def->is_global())
    return mark_variables(*code.def->body, named);
  if (code.op != Op::Tuple) return false;
  return std::all_of(
      code.all().begin(), code.all().end(),
      [&](const Code* kid) { return mark_variables(*kid, named); });
}

bool is_same_definition(const Formula& a, const Formula& b) {
  return a.code == b.code ||
         (a.code->op == Op::Call && b.code->op == Op::Call &&
          a.code->count == 0 && a.code->def == b.code->def &&
          a.code->def->is_global());
}

/// The successors by an action, as far as it gives them.
class Successors : public StateSink {
 public:
  explicit Successors(std::size_t width) : width_(width) {}
  bool state(const Value* values) override {
    is_partial = is_partial || std::any_of(values, values + width_,
                                           [](Value v) { return v.is_none(); });
    if (is_partial) return false;
    rows.insert(rows.end(), values, values + width_);
    return true;
  }
  bool is_partial = false;
  std::vector<Value> rows;

 private:
  std::size_t width_;
};

}  // namespace

Labels::Labels(Worker& worker, const StateGraph& graph, const Budget& budget)
    : worker_(worker),
      graph_(graph),
      budget_(budget),
      rows_(graph.rows().data()),
      width_(worker.program().variables().size()),
      known_(worker.behaviour().atoms().size()) {}

const std::vector<bool>& Labels::enabling() {
  if (enabling_) return *enabling_;
  enabling_.emplace(graph_.size(), false);
  for (const Fair& fair : fairness_)
    for (Index s = 0; s < graph_.size(); ++s)
      if (fair.enabled[s]) (*enabling_)[s] = true;
  return *enabling_;
}

/// Every worker has compiled the same formulas in the same order; what one
/// needs are the states in its own Store.
void Labels::prepare(std::span<const std::unique_ptr<Worker>> workers,
                     const std::vector<std::uint32_t>& atoms) {
  using Task = std::function<void(Labels&)>;
  std::vector<Task> tasks;
  const std::size_t conditions = worker_.behaviour().fairness.size();
  fairness_.resize(conditions);
  // Fairness first: it takes longest.
  for (std::size_t i = 0; i < conditions; ++i)
    tasks.emplace_back([this, i](Labels& by) {
      fairness_[i] = by.fair_steps(by.worker_.behaviour().fairness[i]);
    });
  std::vector<std::uint32_t> of_states;
  for (const std::uint32_t atom : atoms) {
    if (!worker_.behaviour().atoms()[atom].is_step()) {
      of_states.push_back(atom);
      continue;
    }
    tasks.emplace_back([this, atom](Labels& by) {
      const TemporalAtom& a = by.worker_.behaviour().atoms()[atom];
      known_[atom] = by.edges_where(a.formula, a.subscript,
                                    a.kind == TemporalAtom::Kind::Kept);
    });
  }
  const std::size_t share =
      (of_states.size() + workers.size() - 1) / workers.size();
  for (std::size_t from = 0; from < of_states.size(); from += share)
    tasks.emplace_back([this, &of_states, from, share](Labels& by) {
      const std::span<const std::uint32_t> mine =
          std::span(of_states)
              .subspan(from, std::min(share, of_states.size() - from));
      auto found = by.states_where(mine);
      for (std::size_t i = 0; i < mine.size(); ++i)
        known_[mine[i]] = std::move(found[i]);
    });
  divide(workers, tasks);
}

void Labels::divide(std::span<const std::unique_ptr<Worker>> workers,
                    const std::vector<std::function<void(Labels&)>>& tasks) {
  WorkPool<std::size_t> pool(static_cast<unsigned>(workers.size()));
  for (std::size_t i = 0; i < tasks.size(); ++i) pool.give(i);
  std::mutex mutex;
  std::optional<Error> error;
  bool is_stopped = false;
  const auto work = [&](std::size_t number) {
    try {
      const Evaluator::Staying staying(workers[number]->evaluator());
      std::vector<Value> copy;
      std::optional<Labels> own;
      while (const auto task = pool.take()) {
        if (number > 0 && !own) {
          copy = workers[number]->imported(graph_.rows());
          own.emplace(*workers[number], graph_, budget_);
          own->rows_ = copy.data();
        }
        tasks[*task](number > 0 ? *own : *this);
      }
    } catch (const Fault& fault) {
      pool.stop();
      const std::lock_guard lock(mutex);
      error = fault.error;
    } catch (const Stopped&) {
      pool.stop();
      const std::lock_guard lock(mutex);
      is_stopped = true;
    }
  };
  if (workers.size() == 1) {
    work(0);
  } else {
    std::vector<BigThread> threads;
    for (std::size_t i = 0; i < workers.size(); ++i)
      threads.emplace_back([&work, i] { work(i); });
  }
  if (error) throw Fault{*error};
  if (is_stopped) throw Stopped{};
}

std::vector<std::vector<bool>> Labels::states_where(
    std::span<const std::uint32_t> atoms) {
  std::vector<std::vector<bool>> result(atoms.size());
  for (auto& label : result) label.resize(graph_.size());
  for (Index s = 0; s < graph_.size(); ++s) {
    if (budget_.spent()) throw Stopped{};
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      const Formula& f = worker_.behaviour().atoms()[atoms[i]].formula;
      result[i][s] = worker_.evaluator().holds(*f.code, f.frame, values_of(s));
    }
  }
  return result;
}

void Labels::start_subscript(const Formula& subscript) {
  subscripts_.assign(graph_.size(), Value());
  std::vector<bool> named(worker_.program().variables().size(), false);
  is_of_everything_ =
      mark_variables(*subscript.code, named) &&
      std::find(named.begin(), named.end(), false) == named.end();
}

bool Labels::changes(const Formula& subscript, Index s, Index t) {
  if (s == t || is_of_everything_) return s != t;
  Evaluator& evaluator = worker_.evaluator();
  const auto value = [&](Index i) {
    if (subscripts_[i].is_none())
      subscripts_[i] = evaluator.sets().settle(
          evaluator.evaluate(*subscript.code, subscript.frame, values_of(i)));
    return subscripts_[i];
  };
  return value(s) != value(t);
}

/// Steps that change the subscript and satisfy the action.
std::vector<bool> Labels::edges_where(const Formula& action,
                                      const Formula& subscript,
                                      bool when_still) {
  std::vector<bool> result(graph_.edge_count(), when_still);
  start_subscript(subscript);
  for (Index s = 0; s < graph_.size(); ++s) {
    if (budget_.spent()) throw Stopped{};
    std::size_t edge = graph_.first_edge(s);
    for (const Index t : graph_.next(s)) {
      if (changes(subscript, s, t))
        result[edge] = worker_.evaluator().holds(*action.code, action.frame,
                                                 values_of(s), values_of(t));
      ++edge;
    }
  }
  return result;
}

Labels::Fair Labels::fair_steps(const Fairness& f) {
  const Behaviour& behaviour = worker_.behaviour();
  Fair fair;
  fair.is_strong = f.is_strong;
  fair.enabled.assign(graph_.size(), false);
  fair.taken.assign(graph_.edge_count(), false);
  start_subscript(f.subscript);
  // WF_v(Next) speaks of all steps, and nothing else is enabled.
  const bool is_next = is_same_definition(f.action, behaviour.next) &&
                       behaviour.constraints.empty() &&
                       behaviour.action_constraints.empty() &&
                       behaviour.view == nullptr;
  for (Index s = 0; s < graph_.size(); ++s) {
    if (budget_.spent()) throw Stopped{};
    if (!is_next) {
      find_fair_steps(f, s, fair);
      continue;
    }
    std::size_t edge = graph_.first_edge(s);
    for (const Index t : graph_.next(s)) {
      if (changes(f.subscript, s, t)) fair.taken[edge] = fair.enabled[s] = true;
      ++edge;
    }
  }
  return fair;
}

/// Asks the action for its successors, which tells both where it is enabled
/// and which edges it takes; edge by edge only where it leaves variables open.
void Labels::find_fair_steps(const Fairness& f, Index s, Fair& fair) {
  Evaluator& evaluator = worker_.evaluator();
  const std::size_t width = worker_.program().variables().size();
  const Value* state = values_of(s);
  Successors successors(width);
  if (worker_.behaviour().view == nullptr)
    evaluator.enumerate_partial(*f.action.code, f.action.frame, state,
                                successors);
  const std::size_t first = graph_.first_edge(s);
  const auto targets = graph_.next(s);
  if (successors.is_partial || worker_.behaviour().view != nullptr) {
    fair.enabled[s] = evaluator.holds(*f.enabled.code, f.enabled.frame, state);
    for (std::size_t i = 0; fair.enabled[s] && i < targets.size(); ++i)
      fair.taken[first + i] = changes(f.subscript, s, targets[i]) &&
                              evaluator.holds(*f.action.code, f.action.frame,
                                              state, values_of(targets[i]));
    return;
  }
  const auto subscript = [&](const Value* values) {
    return evaluator.sets().settle(
        evaluator.evaluate(*f.subscript.code, f.subscript.frame, values));
  };
  for (std::size_t row = 0; row < successors.rows.size(); row += width) {
    const Value* next = &successors.rows[row];
    if (std::equal(next, next + width, state)) continue;
    if (!is_of_everything_ && subscript(next) == subscript(state)) continue;
    fair.enabled[s] = true;
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (std::equal(next, next + width, values_of(targets[i])))
        fair.taken[first + i] = true;
  }
}

}  // namespace txscope::tla
