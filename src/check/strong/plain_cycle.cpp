#include "check/strong/plain_cycle.h"

#include <algorithm>
#include <vector>

namespace txscope::check {
namespace {

/// Links of one step between two transactions.
class PlainLinks {
 public:
  PlainLinks(const History& history, const Facts& facts,
             const OrderIndex& order)
      : history_(history), facts_(facts), order_(order) {}

  [[nodiscard]] std::optional<Edge> between(TxnId a, TxnId b) const {
    Edge edge{.from = a, .to = b};
    if (!facts_.counts(a) || !facts_.counts(b)) return std::nullopt;
    if (order_.precedes(a, b)) {
      edge.kind = history_.at(a).session == history_.at(b).session
                      ? EdgeKind::Session
                      : EdgeKind::Realtime;
      return edge;
    }
    if (reads_from(b, a, edge)) return edge;
    edge.kind = EdgeKind::AntiDependency;
    for (const Facts::Read& read : facts_.reads(a)) {
      if (!is_plain(read) || read.writer == b ||
          !facts_.writes_key(b, read.key) || !is_older(read.writer, b, edge))
        continue;
      edge.key = read.key;
      edge.read = read.op;
      return edge;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_plain(const Facts::Read& read) const {
    return read.writer != kNone<TxnId> &&
           history_.at(read.op).kind == OpKind::Read;
  }
  [[nodiscard]] bool reads_from(TxnId reader, TxnId writer, Edge& edge) const {
    for (const Facts::Read& read : facts_.reads(reader)) {
      if (!is_plain(read) || read.writer != writer) continue;
      edge.kind = EdgeKind::ReadsFrom;
      edge.key = read.key;
      edge.read = read.op;
      return true;
    }
    return false;
  }
  // Whether `writer` is known to be before `later`, and why.
  bool is_older(TxnId writer, TxnId later, Edge& edge) const {
    edge.reason = writer == History::kInitial ? WriteOrderReason::Initial
                                              : WriteOrderReason::HappensBefore;
    Edge unused;
    return writer == History::kInitial || order_.precedes(writer, later) ||
           reads_from(later, writer, unused);
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
};

}  // namespace

std::optional<Cycle> plain_cycle(const History& history, const Facts& facts,
                                 const OrderIndex& order,
                                 const KnownGraph& graph,
                                 std::span<const KnownGraph::Node> nodes) {
  if (graph.base() != Base::Serializable) return std::nullopt;
  std::vector<TxnId> txns;
  for (const KnownGraph::Node n : nodes)
    if (const TxnId t = graph.txn_of(n); t != kNone<TxnId>) txns.push_back(t);
  const PlainLinks links(history, facts, order);
  Cycle cycle;
  for (std::size_t i = 0; i < txns.size(); ++i) {
    const auto edge = links.between(txns[i], txns[(i + 1) % txns.size()]);
    if (!edge) return std::nullopt;
    cycle.push_back(*edge);
  }
  if (cycle.empty()) return std::nullopt;
  return cycle;
}

}  // namespace txscope::check
