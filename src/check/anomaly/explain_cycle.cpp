#include "check/anomaly/explain_cycle.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "check/anomaly/shortest_paths.h"

namespace txscope::check {
namespace {

// Nodes to look at before the best cycle so far is taken: about a second.
constexpr std::uint64_t kEffort = 10'000'000;
// A contradiction between two transactions cannot be beaten.
constexpr std::size_t kSmallest = 2;
// Cycles with more forced edges are shown as they are: the cases would hide
// what goes on.
constexpr std::size_t kMostForced = 3;

bool is_forced_order(const Edge& edge) {
  return edge.kind == EdgeKind::WriteOrder &&
         edge.reason == WriteOrderReason::Forced;
}

Assumption assume_before(TxnId a, TxnId b) {
  Assumption assumption;
  assumption.kind = Assumption::Kind::Before;
  assumption.a = a;
  assumption.b = b;
  return assumption;
}

class Explainer {
 public:
  Explainer(const History& history, const Facts& facts, const OrderIndex& order,
            Level level, const std::vector<Forced>& forced)
      : history_(history),
        facts_(facts),
        order_(order),
        level_(level),
        forced_(forced),
        paths_(history, facts, order, forced) {}

  // A cycle without forced edges, if the graph has one.
  Cycle plain_cycle(const Graph& graph) {
    const Components components = strong_components(graph);
    for (const Node n : members_of_small_components(components)) {
      if (is_good_enough()) break;
      if (n >= history_.size()) continue;
      ShortestPaths::Query query{.from = TxnId(n), .to = TxnId(n)};
      query.reads_from = level_.base != Base::ReadUncommitted;
      query.versions = true;
      query.limit = limit(0);
      query.components = &components;
      if (auto path = paths_.find(query)) {
        const std::size_t cost = path->size();
        offer(*std::move(path), cost);
      }
    }
    return best_;
  }

  // A cycle with forced edges, as the cases of those edges: a forced edge
  // t2 -> t1 the other way round is t3 -rw-> t2 -> ... -> t3.  So what is shown
  // has the anti-dependencies that the anomaly is named after.
  Refutation forced_cases(const Graph& graph) {
    const Cycle cycle = forced_cycle(graph);
    std::vector<Edge> forced;
    std::copy_if(cycle.begin(), cycle.end(), std::back_inserter(forced),
                 is_forced_order);
    Refutation refutation;
    if (forced.empty() || forced.size() > kMostForced) {
      refutation.cases.push_back({{}, cycle});
      return refutation;
    }
    std::vector<Assumption> path;
    for (const Edge& edge : forced) {
      const Assumption forth = assume_before(edge.from, edge.to);
      const Assumption back = assume_before(edge.to, edge.from);
      const bool is_answered =
          std::find(path.begin(), path.end(), back) != path.end();
      Case other{path, reversed(edge)};
      if (!is_answered) other.assume.push_back(back);
      refutation.cases.push_back(std::move(other));
      if (is_answered) return refutation;
      path.push_back(forth);
    }
    Cycle all = cycle;
    for (Edge& edge : all)
      if (is_forced_order(edge)) {
        edge.reason = WriteOrderReason::Assumed;
        edge.forced_by = kNone<OpId>;
      }
    refutation.cases.push_back({std::move(path), std::move(all)});
    return refutation;
  }

 private:
  Cycle forced_cycle(const Graph& graph) {
    const Components components = strong_components(graph);
    for (const Forced& f : sorted_candidates(components)) {
      if (is_good_enough()) break;
      try_forced(f, components);
    }
    assert(!best_.empty() &&
           "a cyclic graph has a cycle through a forced edge");
    return best_;
  }

  // What a forced edge forbids: t3 -rw-> t2 -> ... -> t3.
  Cycle reversed(const Edge& edge) {
    const TxnId t3 = history_.txn_of(edge.forced_by);
    best_.clear();  // the premise may be of any length
    Cycle cycle = premise({edge.from, edge.to, edge.forced_by}, t3);
    cycle.insert(cycle.begin(), {.from = t3,
                                 .to = edge.from,
                                 .kind = EdgeKind::AntiDependency,
                                 .key = edge.key,
                                 .read = edge.forced_by,
                                 .reason = WriteOrderReason::Assumed});
    return cycle;
  }

  [[nodiscard]] bool is_good_enough() const {
    return !best_.empty() &&
           (best_cost_ <= kSmallest || paths_.effort() > kEffort);
  }
  // How long a path may be if `others` more edges make it better than best_.
  [[nodiscard]] std::uint32_t limit(std::size_t others) const {
    if (best_.empty()) return 0xffffffffu;
    return best_cost_ > others + 1
               ? static_cast<std::uint32_t>(best_cost_ - others - 1)
               : 0;
  }
  void offer(Cycle cycle, std::size_t cost) {
    if (!best_.empty() && cost >= best_cost_) return;
    best_ = std::move(cycle);
    best_cost_ = cost;
  }

  // Nodes on cycles, those of the smallest components first.
  static std::vector<Node> members_of_small_components(
      const Components& components) {
    const std::vector<Node> sizes = components.sizes();
    std::vector<Node> members;
    for (Node n = 0; n < components.of.size(); ++n)
      if (sizes[components.of[n]] > 1) members.push_back(n);
    std::stable_sort(members.begin(), members.end(), [&](Node a, Node b) {
      return sizes[components.of[a]] < sizes[components.of[b]];
    });
    return members;
  }

  // Forced edges on cycles: first those into kInitial, which contradict it by
  // themselves, then by the size of the component.
  std::vector<Forced> sorted_candidates(const Components& components) const {
    const std::vector<Node> sizes = components.sizes();
    std::vector<Forced> found;
    for (const Forced& f : forced_)
      if (components.of[f.t1.index] == components.of[f.t2.index])
        found.push_back(f);
    const auto rank = [&](const Forced& f) {
      return f.t1 == History::kInitial ? 0 : sizes[components.of[f.t1.index]];
    };
    std::stable_sort(
        found.begin(), found.end(),
        [&](const Forced& a, const Forced& b) { return rank(a) < rank(b); });
    return found;
  }

  void try_forced(const Forced& f, const Components& components) {
    const TxnId t3 = history_.txn_of(f.read);
    const KeyId key = history_.at(f.read).key;
    if (f.t1 == History::kInitial)
      return offer_anti_dependency(f, t3, WriteOrderReason::Initial, 0);
    ShortestPaths::Query query{.from = f.t1, .to = f.t2};
    query.versions = query.forced = true;
    query.components = &components;
    query.limit = limit(1);
    auto path = paths_.find(query);
    if (!path) return;
    const bool is_known = path->size() == 1 &&
                          path->front().kind == EdgeKind::WriteOrder &&
                          path->front().reason == WriteOrderReason::Known &&
                          path->front().key == key;
    if (is_known)
      return offer_anti_dependency(f, t3, WriteOrderReason::Known, 1);
    query.versions = query.forced = false;
    if (const auto before = paths_.find(query))
      return offer_anti_dependency(f, t3, WriteOrderReason::HappensBefore,
                                   before->size());
    path->push_back({.from = f.t2,
                     .to = f.t1,
                     .kind = EdgeKind::WriteOrder,
                     .key = key,
                     .reason = WriteOrderReason::Forced,
                     .forced_by = f.read});
    std::size_t cost = 0;  // what is behind a forced edge is to be read, too
    for (const Edge& e : *path)
      cost += e.reason == WriteOrderReason::Forced ? 3 : 1;
    offer(*std::move(path), cost);
  }

  // t3 -rw-> t2 -> ... -> t3
  void offer_anti_dependency(const Forced& f, TxnId t3, WriteOrderReason reason,
                             std::size_t cost) {
    Cycle cycle = premise(f, t3);
    if (cycle.empty()) return;
    cost += cycle.size() + 1;
    cycle.insert(cycle.begin(), {.from = t3,
                                 .to = f.t2,
                                 .kind = EdgeKind::AntiDependency,
                                 .key = history_.at(f.read).key,
                                 .read = f.read,
                                 .reason = reason});
    offer(std::move(cycle), cost);
  }

  // Why t2 precedes t3 by the premise of the level; empty if it would be too
  // long to be of use.
  std::vector<Edge> premise(const Forced& f, TxnId t3) {
    if (level_.base == Base::Causal)
      return paths_.find({.from = f.t2, .to = t3, .limit = limit(1)})
          .value_or(std::vector<Edge>{});
    if (level_.base == Base::ReadAtomic && order_.precedes(f.t2, t3)) {
      const bool same_session =
          history_.at(f.t2).session == history_.at(t3).session && f.t2 < t3;
      return {{.from = f.t2,
               .to = t3,
               .kind = same_session ? EdgeKind::Session : EdgeKind::Realtime}};
    }
    for (const Facts::Read& read : facts_.reads(t3)) {
      if (read.op >= f.read && level_.base == Base::MonotonicAtomicView) break;
      if (read.writer != f.t2) continue;
      return {{.from = f.t2,
               .to = t3,
               .kind = EdgeKind::ReadsFrom,
               .key = read.key,
               .read = read.op}};
    }
    assert(false && "a forced edge has its premise");
    return {};
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  Level level_;
  const std::vector<Forced>& forced_;
  ShortestPaths paths_;
  Cycle best_;
  std::size_t best_cost_ = 0;
};

}  // namespace

Refutation explain_cycle(const History& history, const Facts& facts,
                         const OrderIndex& order, Level level,
                         const Graph& graph,
                         const std::vector<Forced>& forced) {
  Explainer explainer(history, facts, order, level, forced);
  const auto single = [](Cycle cycle) {
    return Refutation{{Case{{}, std::move(cycle)}}};
  };
  if (forced.empty()) return single(explainer.plain_cycle(graph));
  std::vector<Arc> arcs;
  add_order(history, facts, order, arcs);
  add_version_orders(history, facts, arcs);
  add_reads_from(history, facts, arcs);
  const Graph plain(node_count(history, order), arcs);
  if (!topological_order(plain)) return single(explainer.plain_cycle(plain));
  return explainer.forced_cases(graph);
}

}  // namespace txscope::check
