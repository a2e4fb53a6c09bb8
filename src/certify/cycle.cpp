#include <algorithm>

#include "certify/contradiction.h"

namespace txscope::certify {
namespace {

using Complaint = std::optional<std::string>;

/// Whether every edge of a cycle is there in every execution of the branch.
class EdgeCheck {
 public:
  explicit EdgeCheck(const Branch& branch) : b_(branch) {}

  Complaint check(const Edge& edge) const {
    const History& h = b_.history();
    if (edge.from.index >= h.size() || edge.to.index >= h.size())
      return "an edge names a transaction that does not exist";
    if (!b_.counts(edge.from) || !b_.counts(edge.to))
      return about(edge) + ": one of them may not have committed";
    switch (edge.kind) {
      case EdgeKind::Session:
        if (b_.is_in_session_order(edge.from, edge.to)) return {};
        return about(edge) + " is no session order of this level";
      case EdgeKind::Realtime:
        if (b_.is_in_real_time(edge.from, edge.to)) return {};
        return about(edge) + " is no realtime order of this level";
      case EdgeKind::ReadsFrom: return check_reads_from(edge);
      case EdgeKind::WriteOrder:
        return check_write_order(edge, edge.from, edge.to);
      case EdgeKind::AntiDependency: return check_anti_dependency(edge);
    }
    return about(edge) + " is of no known kind";
  }

 private:
  std::string about(const Edge& edge) const {
    return "the edge " + b_.history().name(edge.from) + " -> " +
           b_.history().name(edge.to);
  }

  Complaint check_reads_from(const Edge& edge) const {
    const auto* read = b_.reading().external(edge.read);
    if (!read || read->reader != edge.to || read->key != edge.key)
      return about(edge) + " names no external read of the key";
    if (b_.writer(*read) != edge.from)
      return about(edge) + ": " + b_.history().describe(edge.read) +
             " need not read from it";
    return {};
  }

  Complaint check_anti_dependency(const Edge& edge) const {
    const auto* read = b_.reading().external(edge.read);
    if (!read || read->reader != edge.from || read->key != edge.key)
      return about(edge) + " names no external read of the key";
    if (edge.to == edge.from)
      return about(edge) + ": a transaction may overwrite what it read";
    const auto writer = b_.writer(*read);
    if (!writer)
      return about(edge) + ": the writer of " +
             b_.history().describe(edge.read) + " is open";
    return check_write_order(edge, *writer, edge.to);
  }

  // Both write the key, and t1 is before t2 in co.
  Complaint check_write_order(const Edge& edge, TxnId t1, TxnId t2) const {
    if (edge.key.index >= b_.history().key_count())
      return about(edge) + " names no key";
    if (t1 == t2 || t2 == History::kInitial)
      return about(edge) + ": there is no older version of the key";
    if (!b_.writes(t1, edge.key) || !b_.writes(t2, edge.key))
      return about(edge) + ": not both of them write " +
             b_.history().name(edge.key);
    const std::string pair = about(edge) + ": it is not shown that " +
                             b_.history().name(t1) + " is before " +
                             b_.history().name(t2);
    switch (edge.reason) {
      case WriteOrderReason::Initial:
        if (t1 == History::kInitial) return {};
        return pair + " (initial)";
      case WriteOrderReason::Known:
        if (lists_show(edge.key, t1, t2)) return {};
        return pair + " (known)";
      case WriteOrderReason::HappensBefore:
        if (b_.happens_before(t1, t2)) return {};
        return pair + " (happens before)";
      case WriteOrderReason::Assumed:
        if (b_.is_assumed_before(t1, t2)) return {};
        return pair + " (assumed)";
      case WriteOrderReason::Forced:
        if (is_forced(edge, t1, t2)) return {};
        return pair + " (forced)";
    }
    return pair;
  }

  // t1 is behind some element that was read, and t2 behind none before it:
  // then the appends of t2 come after those of t1.
  bool lists_show(KeyId key, TxnId t1, TxnId t2) const {
    if (b_.history().kind(key) != KeyKind::List) return false;
    const auto* read = b_.longest_read(key);
    if (!read) return false;
    for (std::uint32_t i = 0; i < read->length; ++i) {
      if (b_.element_writer(*read, i) == t1) return true;
      for (const OpId op : b_.element_candidates(*read, i))
        if (b_.history().txn_of(op) == t2) return false;
    }
    return false;
  }

  // Some t3 reads the key from t2, and by the premise of the level, or of a
  // weaker one, the other writer t1 has to be before t2.
  bool is_forced(const Edge& edge, TxnId t1, TxnId t2) const {
    const auto* read = b_.reading().external(edge.forced_by);
    if (!read || read->key != edge.key || !b_.counts(read->reader) ||
        b_.writer(*read) != t2)
      return false;
    const TxnId t3 = read->reader;
    const Base base = b_.level().base;
    if (base < Base::MonotonicAtomicView) return false;
    if (b_.reads_from(t3, t1, read->op)) return true;
    if (base < Base::ReadAtomic) return false;
    if (b_.is_in_order(t1, t3) || b_.reads_from(t3, t1, kNone<OpId>))
      return true;
    if (base < Base::Causal) return false;
    if (b_.happens_before(t1, t3)) return true;
    return base == Base::Serializable && b_.is_assumed_before(t1, t3);
  }

  const Branch& b_;
};

bool is_order(const Edge& edge) {
  return edge.kind == EdgeKind::Session || edge.kind == EdgeKind::Realtime;
}

/// Whether a cycle of true edges contradicts a base.
class CycleShape {
 public:
  explicit CycleShape(const Cycle& cycle) : cycle_(cycle) {
    for (const Edge& edge : cycle)
      anti_dependencies_ += edge.kind == EdgeKind::AntiDependency;
  }

  [[nodiscard]] bool contradicts(Base base) const {
    switch (base) {
      case Base::ReadUncommitted:
        return all([](const Edge& e) {
          return is_order(e) || (e.kind == EdgeKind::WriteOrder &&
                                 (e.reason == WriteOrderReason::Known ||
                                  e.reason == WriteOrderReason::Assumed));
        });
      case Base::ReadCommitted:
        return all([](const Edge& e) {
          return is_order(e) || e.kind == EdgeKind::ReadsFrom ||
                 (e.kind == EdgeKind::WriteOrder &&
                  e.reason != WriteOrderReason::Forced);
        });
      case Base::MonotonicAtomicView:
      case Base::ReadAtomic:
      case Base::Causal:
        // All edges are in co, or the one that is not is refuted by the
        // premise: t3 read a version older than that of t2, and yet t2
        // should be before what t3 read.
        return anti_dependencies_ == 0 ||
               (anti_dependencies_ == 1 && rest_is_premise(base));
      case Base::Prefix:
      case Base::SnapshotIsolation: return is_cycle_of_two_nodes(base);
      case Base::ParallelSnapshotIsolation: return anti_dependencies_ <= 1;
      case Base::Serializable: return true;
    }
    return false;
  }

 private:
  template <class Predicate>
  bool all(Predicate predicate) const {
    return std::all_of(cycle_.begin(), cycle_.end(), predicate);
  }

  bool rest_is_premise(Base base) const {
    const auto rw = std::find_if(
        cycle_.begin(), cycle_.end(),
        [](const Edge& e) { return e.kind == EdgeKind::AntiDependency; });
    const auto is_rest = [&](const Edge& e) { return &e != &*rw; };
    if (base == Base::MonotonicAtomicView)
      return cycle_.size() == 2 && all([&](const Edge& e) {
               return !is_rest(e) ||
                      (e.kind == EdgeKind::ReadsFrom && e.read < rw->read);
             });
    if (base == Base::ReadAtomic && cycle_.size() != 2) return false;
    return all([&](const Edge& e) {
      return !is_rest(e) || is_order(e) || e.kind == EdgeKind::ReadsFrom;
    });
  }

  // Every transaction has a start and, after it, a commit.  Edges leave the
  // commit, anti-dependencies the start; they arrive at the start, but
  // anti-dependencies, and at prefix the write order, at the commit.  The cycle
  // is broken where one arrives at the commit and the next leaves the start.
  bool is_cycle_of_two_nodes(Base base) const {
    for (std::size_t i = 0; i < cycle_.size(); ++i) {
      const Edge& in = cycle_[i];
      const Edge& out = cycle_[(i + 1) % cycle_.size()];
      const bool arrives_at_commit =
          in.kind == EdgeKind::AntiDependency ||
          (in.kind == EdgeKind::WriteOrder && base == Base::Prefix);
      if (arrives_at_commit && out.kind == EdgeKind::AntiDependency)
        return false;
    }
    return true;
  }

  const Cycle& cycle_;
  std::size_t anti_dependencies_ = 0;
};

}  // namespace

std::optional<std::string> complaint_about(const Branch& branch,
                                           const Cycle& cycle) {
  if (cycle.empty()) return "a cycle has no edges";
  const EdgeCheck edges(branch);
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (auto complaint = edges.check(cycle[i])) return complaint;
    if (cycle[i].to != cycle[(i + 1) % cycle.size()].from)
      return "the edges of a cycle do not meet at " +
             branch.history().name(cycle[i].to);
  }
  // What contradicts a level contradicts every stronger one.
  const CycleShape shape(cycle);
  for (const Base base : all_bases())
    if (implies(branch.level(), {base, branch.level().order}) &&
        shape.contradicts(base))
      return {};
  return "a cycle of such edges does not contradict " +
         describe(branch.level());
}

}  // namespace txscope::certify
