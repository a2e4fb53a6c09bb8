#include "tla/liveness/state_graph.h"

#include <algorithm>
#include <tuple>

namespace txscope::tla {
StateGraph::StateGraph(Worker& worker, const Budget& budget)
    : worker_(worker),
      width_(worker.program().variables().size()),
      plain_(worker.evaluator(), {}) {
  const Behaviour& behaviour = worker.behaviour();
  const auto is_in_model = [&](const Value* before, const Value* after) {
    Evaluator& evaluator = worker.evaluator();
    for (const Formula& f : behaviour.constraints)
      if (!evaluator.holds(*f.code, f.frame, after)) return false;
    if (before == nullptr) return true;
    for (const Formula& f : behaviour.action_constraints)
      if (!evaluator.holds(*f.code, f.frame, before, after)) return false;
    return true;
  };
  first_.push_back(0);
  StateRows collector(width_);
  worker.evaluator().enumerate_initial(behaviour.init, collector);
  for (std::size_t i = 0; i < collector.rows.size(); i += width_) {
    if (!is_in_model(nullptr, &collector.rows[i])) continue;
    const std::size_t before = parent_.size();
    const Index s = add(&collector.rows[i], 0);
    if (parent_.size() > before) {
      parent_[s] = s;
      initial_.push_back(s);
    }
  }
  std::vector<Index> targets;
  for (Index s = 0; s < parent_.size(); ++s) {
    if (budget.spent()) return;
    collector.rows.clear();
    const std::vector<Value> state(&rows_[s * width_],
                                   &rows_[s * width_] + width_);
    worker.evaluator().enumerate_successors(behaviour.next, state.data(),
                                            collector);
    targets.clear();
    for (std::size_t i = 0; i < collector.rows.size(); i += width_)
      if (is_in_model(state.data(), &collector.rows[i]))
        targets.push_back(add(&collector.rows[i], s));
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    first_.push_back(targets_.size());
  }
  is_complete_ = true;
}

StateGraph::StateGraph(std::span<const std::unique_ptr<Worker>> workers)
    : worker_(*workers[0]),
      width_(worker_.program().variables().size()),
      plain_(worker_.evaluator(), {}) {
  struct Found {
    std::uint32_t level;
    std::uint64_t fingerprint;
    const Value* row;
  };
  std::vector<Found> found;
  std::vector<std::vector<Value>> imported(workers.size());
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const GraphRecord& record = *workers[w]->record();
    if (w > 0) imported[w] = worker_.imported(record.rows());
    const Value* rows = w > 0 ? imported[w].data() : record.rows().data();
    for (std::size_t i = 0; i < record.states().size(); ++i)
      found.push_back({record.states()[i].level, record.states()[i].fingerprint,
                       rows + i * width_});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.level, a.fingerprint) < std::tie(b.level, b.fingerprint);
  });
  rows_.reserve(found.size() * width_);
  index_.reserve(found.size());
  for (Index s = 0; s < found.size(); ++s) {
    rows_.insert(rows_.end(), found[s].row, found[s].row + width_);
    index_.insert(&found[s].fingerprint, Value::of_int(s));
    if (found[s].level == 1) initial_.push_back(s);
  }
  // Where the steps from each state are.
  std::vector<std::span<const std::uint64_t>> steps(found.size());
  for (const auto& worker : workers) {
    const std::span<const std::uint64_t> all = worker->record()->steps();
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 2;
      while (end < all.size() && all[end] != GraphRecord::kFrom) ++end;
      steps[index_of(all[i + 1])] = all.subspan(i + 2, end - i - 2);
      i = end;
    }
  }
  constexpr Index kNobody = ~Index{0};
  parent_.assign(found.size(), kNobody);
  for (const Index s : initial_) parent_[s] = s;
  first_.push_back(0);
  std::vector<Index> targets;
  for (Index s = 0; s < found.size(); ++s) {
    targets.clear();
    for (const std::uint64_t to : steps[s]) targets.push_back(index_of(to));
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    first_.push_back(targets_.size());
    for (const Index t : targets)
      if (parent_[t] == kNobody) parent_[t] = s;
  }
  is_complete_ = true;
}

std::uint64_t StateGraph::fingerprint(const Value* state) const {
  return worker_.behaviour().view == nullptr ? plain_.fingerprint(state)
                                             : worker_.fingerprint(state);
}

StateGraph::Index StateGraph::index_of(std::uint64_t fingerprint) const {
  return static_cast<Index>(index_.find(&fingerprint).as_int());
}

std::optional<StateGraph::Index> StateGraph::find(const Value* state) const {
  const std::uint64_t key = fingerprint(state);
  if (index_.find(&key).is_none()) return std::nullopt;
  return index_of(key);
}

StateGraph::Index StateGraph::add(const Value* state, Index parent) {
  const auto next = static_cast<Index>(parent_.size());
  const std::uint64_t key = fingerprint(state);
  if (!index_.find(&key).is_none()) return index_of(key);
  index_.insert(&key, Value::of_int(next));
  rows_.insert(rows_.end(), state, state + width_);
  parent_.push_back(parent);
  return next;
}

}  // namespace txscope::tla
