#include <algorithm>

#include "tla/search/model_search.h"

namespace txscope::tla {
namespace {

/// Keeps all states that it gets.
class Gathering : public StateSink {
 public:
  explicit Gathering(std::size_t width) : width_(width) {}
  bool state(const Value* values) override {
    rows_.insert(rows_.end(), values, values + width_);
    return true;
  }
  [[nodiscard]] std::size_t size() const { return rows_.size() / width_; }
  [[nodiscard]] std::vector<Value> at(std::size_t i) const {
    const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(i * width_);
    return {from, from + static_cast<std::ptrdiff_t>(width_)};
  }
  void clear() { rows_.clear(); }

 private:
  std::size_t width_;
  std::vector<Value> rows_;
};

}  // namespace

/// Random behaviours, as TLC's -simulate: from a random initial state to a
/// random successor each, until the depth, a deadlock or a violation.  The
/// seed decides everything.
void ModelSearch::simulate(ModelResult& result) {
  Worker& worker = *workers_[0];
  const Behaviour& behaviour = worker.behaviour();
  if (behaviour.periodic != nullptr)
    fail(behaviour.periodic->spot,
         "_PERIODIC " + behaviour.periodic->name +
             " is not supported with --simulate",
         "a result must not depend on the clock");
  const std::size_t width = worker.program().variables().size();
  const std::uint32_t depth = request_.max_depth.value_or(100);
  Random random(request_.seed);
  Gathering found(std::max<std::size_t>(1, width));
  worker.evaluator().enumerate_initial(behaviour.init, found);
  Gathering initial = found;
  worker.generated += found.size();
  std::vector<std::vector<Value>> path;
  const auto allowed = [&](Gathering& all) {
    std::vector<std::size_t> in_model;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<Value> state = all.at(i);
      if (worker.is_in_model(path.empty() ? nullptr : path.back().data(),
                             state.data()))
        in_model.push_back(i);
    }
    return in_model;
  };
  const std::vector<std::size_t> starts = allowed(initial);
  if (starts.empty()) {
    result.emptiness = "there is no initial state";
    return;
  }
  for (; result.behaviours < *request_.simulate; ++result.behaviours) {
    path.clear();
    path.push_back(initial.at(starts[random.below(starts.size())]));
    for (shared_.level = 1;; ++shared_.level) {
      if (budget_.spent_now()) throw Stopped{};
      result.depth = std::max(result.depth, shared_.level);
      try {
        worker.check_alone(
            path.size() < 2 ? nullptr : path[path.size() - 2].data(),
            path.back().data());
        if (!worker.finding && shared_.level < depth) {
          found.clear();
          worker.evaluator().enumerate_successors(behaviour.next,
                                                  path.back().data(), found);
          worker.generated += found.size();
          if (found.size() == 0 && shared_.check_deadlock)
            worker.finding = Finding{
                ModelViolation::Deadlock, "deadlock", {}, 0, 0, 0, true};
        }
      } catch (const AssertionFault& fault) {
        worker.finding = failed_assertion(fault);
      }
      if (worker.finding) {
        tell(result, *worker.finding);
        return finish_trace(result, retrace(worker, path));
      }
      if (shared_.level >= depth) break;
      const std::vector<std::size_t> next = allowed(found);
      if (next.empty()) break;
      path.push_back(found.at(next[random.below(next.size())]));
    }
  }
}

}  // namespace txscope::tla
