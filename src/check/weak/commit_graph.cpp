#include "check/weak/commit_graph.h"

#include "check/anomaly/explain_cycle.h"

namespace txscope::check {

std::size_t node_count(const History& history, const OrderIndex& order) {
  return history.size() + order.moment_count();
}

void add_order(const History& history, const Facts& facts,
               const OrderIndex& order, std::vector<Arc>& arcs) {
  const auto moment = [&](std::uint32_t m) {
    return static_cast<Node>(history.size() + m);
  };
  for (std::uint32_t m = 1; m < order.moment_count(); ++m)
    arcs.push_back({moment(m - 1), moment(m)});
  for (std::uint32_t t = 1; t < history.size(); ++t) {
    const TxnId id(t);
    if (!facts.counts(id)) continue;
    if (const TxnId before = order.previous(id); before != kNone<TxnId>)
      arcs.push_back({node(before), t});
    else
      arcs.push_back({node(History::kInitial), t});
    if (order.moment_count() == 0) continue;
    if (const auto m = order.moment_before(id); m != OrderIndex::kNoMoment)
      arcs.push_back({moment(m), t});
    if (const auto m = order.moment_after(id); m != OrderIndex::kNoMoment)
      arcs.push_back({t, moment(m)});
  }
}

void add_reads_from(const History& history, const Facts& facts,
                    std::vector<Arc>& arcs) {
  for (std::uint32_t t = 1; t < history.size(); ++t) {
    TxnId last = History::kInitial;
    for (const Facts::Read& read : facts.reads(TxnId(t))) {
      if (read.writer == last || read.writer == History::kInitial) continue;
      arcs.push_back({node(read.writer), t});
      last = read.writer;
    }
  }
}

void add_version_orders(const History& history, const Facts& facts,
                        std::vector<Arc>& arcs) {
  std::vector<std::uint8_t> is_listed;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const auto versions = facts.version_order(KeyId(k));
    if (versions.empty()) continue;
    if (is_listed.empty()) is_listed.resize(history.size());
    for (std::size_t i = 0; i < versions.size(); ++i) {
      is_listed[versions[i].index] = 1;
      if (i > 0) arcs.push_back({node(versions[i - 1]), node(versions[i])});
    }
    for (const TxnId t : facts.writers(KeyId(k)))
      if (!is_listed[t.index]) arcs.push_back({node(versions.back()), node(t)});
    for (const TxnId t : versions) is_listed[t.index] = 0;
  }
}

CommitOrder make_commit_order(const History& history, const Facts& facts,
                              const std::vector<Node>& order) {
  CommitOrder result;
  result.order.reserve(history.size());
  result.order.push_back(History::kInitial);
  for (const Node n : order)
    if (n < history.size() && n != node(History::kInitial) &&
        facts.counts(TxnId(n)))
      result.order.push_back(TxnId(n));
  for (std::size_t t = 1; t < history.size(); ++t)
    if (history.at(TxnId(t)).status == Status::Unknown)
      result.outcomes.push_back({TxnId(t), facts.counts(TxnId(t))});
  return result;
}

Verdict conclude(const History& history, const Facts& facts,
                 const OrderIndex& order, Level level,
                 const std::vector<Forced>& forced, const Budget& budget) {
  std::vector<Arc> arcs;
  arcs.reserve(2 * history.size() + forced.size());
  add_order(history, facts, order, arcs);
  add_version_orders(history, facts, arcs);
  if (level.base != Base::ReadUncommitted) add_reads_from(history, facts, arcs);
  for (const Forced& f : forced) arcs.push_back({node(f.t2), node(f.t1)});
  if (budget.spent_now()) return {level, budget.reason()};
  const Graph graph(node_count(history, order), arcs);
  arcs = {};
  if (const auto sorted = topological_order(graph))
    return {level, make_commit_order(history, facts, *sorted)};
  if (budget.spent_now()) return {level, budget.reason()};
  return {level, explain_cycle(history, facts, order, level, graph, forced)};
}

}  // namespace txscope::check
