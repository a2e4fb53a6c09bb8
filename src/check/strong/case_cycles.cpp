#include <algorithm>
#include <queue>

#include "check/strong/case_world.h"

namespace txscope::check {
namespace {

bool is_order(const Edge& edge) {
  return edge.kind == EdgeKind::Session || edge.kind == EdgeKind::Realtime;
}

/// Shortest paths in a small graph with labelled links.
class Paths {
 public:
  static constexpr std::uint32_t kFar = 0xffffffffu;
  struct Link {
    std::uint32_t to;
    std::uint32_t weight;
    const Edge* edge;  // null: from the start of a transaction to its commit
  };

  explicit Paths(std::size_t nodes) : out_(nodes) {}
  void add(std::uint32_t from, Link link) { out_[from].push_back(link); }

  // Dijkstra's; afterwards distance() and edges() are from `source`.
  void search(std::uint32_t source) {
    distance_.assign(out_.size(), kFar);
    came_.assign(out_.size(), {kFar, nullptr});
    using Item = std::pair<std::uint32_t, std::uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    distance_[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [far, n] = queue.top();
      queue.pop();
      if (far != distance_[n]) continue;
      for (const Link& link : out_[n]) {
        if (far + link.weight >= distance_[link.to]) continue;
        distance_[link.to] = far + link.weight;
        came_[link.to] = {n, link.edge};
        queue.emplace(distance_[link.to], link.to);
      }
    }
  }
  [[nodiscard]] std::uint32_t distance(std::uint32_t n) const {
    return distance_[n];
  }
  [[nodiscard]] Cycle edges(std::uint32_t to) const {
    Cycle path;
    for (std::uint32_t n = to; came_[n].first != kFar; n = came_[n].first)
      if (came_[n].second != nullptr) path.push_back(*came_[n].second);
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Nodes that are on cycles, or between two.
  [[nodiscard]] std::vector<bool> left_after_peeling() const {
    std::vector<bool> left(out_.size(), true);
    for (bool is_stable = false; !is_stable;) {
      is_stable = true;
      std::vector<bool> has_in(out_.size()), has_out(out_.size());
      for (std::uint32_t n = 0; n < out_.size(); ++n)
        for (const Link& link : out_[n])
          if (left[n] && left[link.to]) has_out[n] = has_in[link.to] = true;
      for (std::uint32_t n = 0; n < out_.size(); ++n) {
        if (!left[n] || (has_in[n] && has_out[n])) continue;
        left[n] = false;
        is_stable = false;
      }
    }
    return left;
  }
  [[nodiscard]] std::span<const Link> out(std::uint32_t n) const {
    return out_[n];
  }
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  std::vector<std::vector<Link>> out_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::pair<std::uint32_t, const Edge*>> came_;
};

}  // namespace

std::optional<CaseWorld::Contradiction> CaseWorld::contradiction() const {
  if (auto bad = bad_read()) return *bad;
  if (auto found = cycle()) return *std::move(found);
  return std::nullopt;
}

std::optional<BadRead> CaseWorld::bad_read() const {
  for (const BadRead& bad : x_.facts.bad_reads_if_committed())
    if ((bad.kind == BadReadKind::Incompatible ||
         x_.level.base != Base::ReadUncommitted) &&
        counts(x_.history.txn_of(bad.read)))
      return bad;
  for (const Read& read : reads_) {
    if (x_.history.at(read.op).kind == OpKind::ReadList) {
      if (!x_.facts.list_is_open(read.key)) continue;
      if (auto bad = bad_list_read(read)) return bad;
      continue;
    }
    if (read.writer == kNone<TxnId> && x_.level.base != Base::ReadUncommitted &&
        candidates(read.op, txn(read.reader)).empty())
      return BadRead{BadReadKind::NoWriter, read.op, kNone<OpId>};
  }
  return std::nullopt;
}

// Edges that may be in a cycle without anti-dependencies.
bool CaseWorld::is_allowed(const Edge& edge) const {
  if (is_order(edge)) return true;
  if (edge.kind == EdgeKind::AntiDependency) return false;
  if (x_.level.base == Base::ReadUncommitted)
    return edge.kind == EdgeKind::WriteOrder &&
           (edge.reason == WriteOrderReason::Known ||
            edge.reason == WriteOrderReason::Assumed);
  return true;
}

// Edges of the premise that a cycle with one anti-dependency consists of.
bool CaseWorld::is_premise_edge(const Edge& edge, const Edge& rw) const {
  switch (x_.level.base) {
    case Base::ReadUncommitted:
    case Base::ReadCommitted: return false;
    case Base::MonotonicAtomicView:
      return edge.kind == EdgeKind::ReadsFrom && edge.read < rw.read;
    case Base::ReadAtomic:
    case Base::Causal:
      return is_order(edge) || edge.kind == EdgeKind::ReadsFrom;
    default: return edge.kind != EdgeKind::AntiDependency;
  }
}

std::optional<Cycle> CaseWorld::cycle() const {
  const Base base = x_.level.base;
  const bool has_two = base == Base::Prefix || base == Base::SnapshotIsolation;
  const bool is_free = has_two || base == Base::Serializable;
  Cycle best;
  std::uint32_t best_weight = Paths::kFar;

  Paths all(has_two ? 2 * size() : size());
  for (Index i = 0; has_two && i < size(); ++i)
    all.add(2 * i, {2 * i + 1, 0, nullptr});
  for (const Link& link : links_) {
    if (!is_free && !is_allowed(link.edge)) continue;
    const bool is_rw = link.edge.kind == EdgeKind::AntiDependency;
    const bool to_commit = is_rw || (base == Base::Prefix &&
                                     link.edge.kind == EdgeKind::WriteOrder);
    if (has_two)
      all.add(2 * link.from + (is_rw ? 0 : 1),
              {2 * link.to + (to_commit ? 1 : 0), link.weight, &link.edge});
    else
      all.add(link.from, {link.to, link.weight, &link.edge});
  }
  const auto left = all.left_after_peeling();
  for (std::uint32_t s = 0; s < all.size(); ++s) {
    if (!left[s]) continue;
    all.search(s);
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      if (all.distance(n) == Paths::kFar) continue;
      for (const auto& link : all.out(n)) {
        if (link.to != s || all.distance(n) + link.weight >= best_weight)
          continue;
        best_weight = all.distance(n) + link.weight;
        best = all.edges(n);
        if (link.edge != nullptr) best.push_back(*link.edge);
      }
    }
  }
  if (is_free || base <= Base::ReadCommitted)
    return best.empty() ? std::nullopt : std::optional(best);

  // One anti-dependency, and the premise back.
  const bool is_one_step =
      base == Base::MonotonicAtomicView || base == Base::ReadAtomic;
  Paths premise(size());
  if (!is_one_step)
    for (const Link& link : links_)
      if (is_premise_edge(link.edge, link.edge))
        premise.add(link.from, {link.to, link.weight, &link.edge});
  for (const Link& rw : links_) {
    if (rw.edge.kind != EdgeKind::AntiDependency) continue;
    if (is_one_step) {
      for (const Link& link : links_) {
        if (link.from != rw.to || link.to != rw.from ||
            !is_premise_edge(link.edge, rw.edge) ||
            link.weight + rw.weight >= best_weight)
          continue;
        best_weight = link.weight + rw.weight;
        best = {rw.edge, link.edge};
      }
      continue;
    }
    premise.search(rw.to);
    if (premise.distance(rw.from) == Paths::kFar ||
        premise.distance(rw.from) + rw.weight >= best_weight)
      continue;
    best_weight = premise.distance(rw.from) + rw.weight;
    best = premise.edges(rw.from);
    best.push_back(rw.edge);
  }
  return best.empty() ? std::nullopt : std::optional(best);
}

bool CaseWorld::has_edge(const Edge& edge) const {
  return std::any_of(links_.begin(), links_.end(),
                     [&](const Link& link) { return link.edge == edge; });
}

bool CaseWorld::confirms(const Contradiction& contradiction) const {
  if (const auto* edges = std::get_if<Cycle>(&contradiction))
    return std::all_of(edges->begin(), edges->end(),
                       [&](const Edge& edge) { return has_edge(edge); });
  const BadRead& bad = std::get<BadRead>(contradiction);
  for (const BadRead& known : x_.facts.bad_reads_if_committed())
    if (known.read == bad.read && known.kind == bad.kind &&
        counts(x_.history.txn_of(bad.read)))
      return true;
  for (const Read& read : reads_) {
    if (read.op != bad.read) continue;
    if (x_.history.at(read.op).kind == OpKind::ReadList) {
      const auto found = bad_list_read(read);
      return found && found->kind == bad.kind && found->other == bad.other;
    }
    return read.writer == kNone<TxnId> &&
           candidates(read.op, txn(read.reader)).empty();
  }
  return false;
}

}  // namespace txscope::check
