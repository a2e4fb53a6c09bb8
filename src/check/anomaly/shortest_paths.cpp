#include "check/anomaly/shortest_paths.h"

#include <algorithm>
#include <cassert>

namespace txscope::check {

ShortestPaths::ShortestPaths(const History& history, const Facts& facts,
                             const OrderIndex& order,
                             const std::vector<Forced>& forced)
    : history_(history),
      facts_(facts),
      order_(order),
      forced_(forced),
      n_(static_cast<Node>(history.size())),
      first_version_(2 * n_ + order.moment_count()) {
  std::vector<Arc> arcs;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const auto known = facts.version_order(KeyId(k));
    if (known.empty()) continue;
    std::vector<TxnId> listed(known.begin(), known.end());
    std::sort(listed.begin(), listed.end());
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (i > 0)
        arcs.push_back({known[i].index, version(versions_.size() - 1)});
      versions_.push_back({known[i], KeyId(k)});
    }
    for (const TxnId t : facts.writers(KeyId(k)))
      if (!std::binary_search(listed.begin(), listed.end(), t))
        arcs.push_back({t.index, version(versions_.size() - 1)});
  }
  const std::size_t nodes = first_version_ + versions_.size();
  if (!arcs.empty()) lanes_into_.emplace(nodes, arcs);
  if (order.moment_count() > 0) {
    arcs.clear();
    for (std::uint32_t t = 1; t < n_; ++t)
      if (const auto m = order.moment_after(TxnId(t));
          m != OrderIndex::kNoMoment && facts.counts(TxnId(t)))
        arcs.push_back({moment(m), t});
    ended_before_.emplace(nodes, arcs);
  }
  if (!forced.empty()) {
    arcs.clear();
    for (std::size_t i = 0; i < forced.size(); ++i)
      arcs.push_back({forced[i].t1.index, static_cast<Node>(i)});
    forced_into_.emplace(std::max(nodes, forced.size()), arcs);
  }
  stamp_.assign(nodes, 0);
  step_.resize(nodes);
}

std::optional<std::vector<Edge>> ShortestPaths::find(const Query& query) {
  ++round_;
  now_.assign(1, query.to.index);
  later_.clear();
  const Node goal = query.from.index;
  if (query.from != query.to) stamp_[query.to.index] = round_;
  for (std::uint32_t length = 0; length < query.limit && !now_.empty();
       ++length) {
    // What is free joins now_ while it is read.
    for (std::size_t i = 0; i < now_.size(); ++i) expand(now_[i], query);
    std::swap(now_, later_);
    later_.clear();
    // Leaving a lane is free: look for the goal among what lanes reach, too.
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (now_[i] >= n_) expand(now_[i], query);
    if (stamp_[goal] == round_) return trace(query);
  }
  return std::nullopt;
}

void ShortestPaths::reach(Node n, Hop step, bool is_free) {
  if (stamp_[n] == round_) return;
  stamp_[n] = round_;
  step_[n] = step;
  (is_free ? now_ : later_).push_back(n);
}

void ShortestPaths::expand(Node n, const Query& query) {
  ++effort_;
  const auto is_allowed = [&](TxnId t) {
    return query.components == nullptr ||
           query.components->of[t.index] ==
               query.components->of[query.to.index];
  };
  const Hop along{n, Via::Lane, 0};
  if (n < n_) {
    if (is_allowed(TxnId(n))) expand_txn(TxnId(n), query);
  } else if (n < 2 * n_) {
    const TxnId t(n - n_);
    if (!is_allowed(t)) return;
    reach(t.index, along, true);
    if (const TxnId before = order_.previous(t); before != kNone<TxnId>)
      reach(session_lane(before), along, true);
  } else if (n < first_version_) {
    for (const Node t : ended_before_->successors(n)) reach(t, along, true);
    if (n > moment(0)) reach(n - 1, along, true);
  } else {
    const std::size_t place = n - first_version_;
    reach(versions_[place].txn.index, along, true);
    if (place > 0 && versions_[place - 1].key == versions_[place].key)
      reach(n - 1, along, true);
  }
}

void ShortestPaths::expand_txn(TxnId t, const Query& query) {
  const Hop enter{t.index, Via::Lane, 0};
  if (const TxnId before = order_.previous(t); before != kNone<TxnId>)
    reach(session_lane(before), enter, false);
  if (query.reads_from)
    for (const Facts::Read& read : facts_.reads(t))
      if (read.writer != History::kInitial && read.writer != kNone<TxnId>)
        reach(read.writer.index, {t.index, Via::Read, read.op.index}, false);
  if (const auto m = order_.moment_before(t); m != OrderIndex::kNoMoment)
    reach(moment(m), enter, false);
  if (query.versions && lanes_into_)
    for (const Node lane : lanes_into_->successors(t.index))
      reach(lane, enter, false);
  if (query.forced && forced_into_)
    for (const Node i : forced_into_->successors(t.index))
      reach(forced_[i].t2.index, {t.index, Via::Forced, i}, false);
}

Edge ShortestPaths::lane_edge(TxnId from, Node lane, TxnId to) const {
  Edge edge{.from = from, .to = to};
  if (lane < 2 * n_) {
    edge.kind = EdgeKind::Session;
  } else if (lane < first_version_) {
    edge.kind = EdgeKind::Realtime;
  } else {
    edge.kind = EdgeKind::WriteOrder;
    edge.key = versions_[lane - first_version_].key;
    edge.reason = WriteOrderReason::Known;
  }
  return edge;
}

std::vector<Edge> ShortestPaths::trace(const Query& query) const {
  std::vector<Edge> path;
  Node n = query.from.index;
  do {
    const Hop& step = step_[n];
    const TxnId from(n);
    n = step.to;
    const Node lane = n;
    while (n >= n_) n = step_[n].to;
    const TxnId to(n);
    switch (step.via) {
      case Via::Lane: path.push_back(lane_edge(from, lane, to)); break;
      case Via::Read:
        path.push_back({.from = from,
                        .to = to,
                        .kind = EdgeKind::ReadsFrom,
                        .key = history_.at(OpId(step.label)).key,
                        .read = OpId(step.label)});
        break;
      case Via::Forced:
        path.push_back({.from = from,
                        .to = to,
                        .kind = EdgeKind::WriteOrder,
                        .key = history_.at(forced_[step.label].read).key,
                        .reason = WriteOrderReason::Forced,
                        .forced_by = forced_[step.label].read});
        break;
    }
  } while (n != query.to.index);
  return path;
}

}  // namespace txscope::check
