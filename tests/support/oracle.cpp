#include "support/oracle.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <numeric>
#include <vector>

namespace txscope {
namespace {

constexpr std::size_t kMaxNodes = 16;
/// A binary relation on the transactions of a World.
class Relation {
 public:
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const {
    return rows_[a] >> b & 1;
  }
  void add(std::size_t a, std::size_t b) { rows_[a] |= 1u << b; }
  void add(const Relation& other) {
    for (std::size_t a = 0; a < kMaxNodes; ++a) rows_[a] |= other.rows_[a];
  }
  void close() {  // transitively
    for (std::size_t k = 0; k < kMaxNodes; ++k)
      for (std::size_t a = 0; a < kMaxNodes; ++a)
        if (has(a, k)) rows_[a] |= rows_[k];
  }
  [[nodiscard]] bool contains(const Relation& other) const {
    for (std::size_t a = 0; a < kMaxNodes; ++a)
      if (other.rows_[a] & ~rows_[a]) return false;
    return true;
  }

 private:
  std::array<std::uint32_t, kMaxNodes> rows_{};
};

/// A read that is not answered by an earlier write of its own transaction, or,
/// of a list, the part of it before the own appends.
struct ExternalRead {
  std::size_t reader;
  std::uint32_t op;  ///< compares as program order within the reader
  KeyId key;
  bool is_list;
  Atom value;                  ///< of a register
  std::vector<Atom> elements;  ///< of a list
};

/// The history under one assumption about who committed.  Its nodes are the
/// transactions that take part: the initial one (node 0), the committed ones,
/// and, if the history judges them, the aborted ones, as readers only.  A
/// transaction of unknown outcome that did not commit takes no part.
class World {
 public:
  World(const History& history, const std::vector<bool>& unknown_committed)
      : history_(history) {
    std::size_t unknown = 0;
    for (std::size_t t = 0; t < history.size(); ++t) {
      const Status status = history.at(TxnId(t)).status;
      const bool did_commit =
          status == Status::Committed ||
          (status == Status::Unknown && unknown_committed[unknown++]);
      if (!did_commit &&
          !(status == Status::Aborted && history.judge_aborted()))
        continue;
      nodes_.push_back(TxnId(t));
      is_committed_.push_back(did_commit);
    }
    assert(nodes_.size() <= kMaxNodes && "too large for brute force");
    for (std::size_t n = 1; n < nodes_.size(); ++n) find_reads(n);
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const std::vector<ExternalRead>& reads() const {
    return reads_;
  }
  /// Whether every read after an own write of its key returned that.
  [[nodiscard]] bool internal_reads_are_right() const {
    return internal_reads_are_right_;
  }

  /// Writes that others can see: those of committed transactions.  The initial
  /// transaction writes every key.
  [[nodiscard]] bool writes(std::size_t n, KeyId key) const {
    if (n == 0) return true;
    if (!is_committed_[n]) return false;
    for (const Op& op : history_.ops(nodes_[n]))
      if (op.key == key && op.is_write()) return true;
    return false;
  }
  [[nodiscard]] bool write_a_common_key(std::size_t a, std::size_t b) const {
    for (std::size_t k = 0; k < history_.key_count(); ++k)
      if (writes(a, KeyId(k)) && writes(b, KeyId(k))) return true;
    return false;
  }
  /// The values that n appends to a list, in program order.
  [[nodiscard]] std::vector<Atom> appends(std::size_t n, KeyId key) const {
    std::vector<Atom> values;
    if (n == 0 || !is_committed_[n]) return values;
    for (const Op& op : history_.ops(nodes_[n]))
      if (op.key == key && op.kind == OpKind::Append)
        values.push_back(op.value);
    return values;
  }

  /// Who may have written what a register read returned: a committed
  /// transaction other than the reader whose *last* write of the key has the
  /// value, or the initial one.
  [[nodiscard]] std::vector<std::size_t> candidates(
      const ExternalRead& read) const {
    std::vector<std::size_t> found;
    if (history_.initial(read.key) == read.value) found.push_back(0);
    for (std::size_t n = 1; n < size(); ++n) {
      if (n == read.reader || !writes(n, read.key)) continue;
      Atom last;
      for (const Op& op : history_.ops(nodes_[n]))
        if (op.key == read.key && op.kind == OpKind::Write) last = op.value;
      if (last == read.value) found.push_back(n);
    }
    return found;
  }

  /// The order of a level.  The initial transaction precedes all others in
  /// each.  Session: earlier in the same session.  Realtime: that, or ended
  /// before the other started (an unknown transaction has no end).
  [[nodiscard]] Relation order(Order kind) const {
    Relation relation;
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 1; b < size(); ++b) {
        if (a == b) continue;
        if (a == 0) {
          relation.add(a, b);
          continue;
        }
        const Txn& s = history_.at(nodes_[a]);
        const Txn& t = history_.at(nodes_[b]);
        if (kind != Order::None && s.session == t.session && a < b)
          relation.add(a, b);
        if (kind == Order::Realtime && s.end != Txn::kNoTime &&
            t.start != Txn::kNoTime && s.end < t.start)
          relation.add(a, b);
      }
    }
    return relation;
  }

  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] TxnId txn(std::size_t n) const { return nodes_[n]; }
  [[nodiscard]] bool takes_part(TxnId t) const {
    return std::find(nodes_.begin(), nodes_.end(), t) != nodes_.end();
  }

 private:
  void find_reads(std::size_t n) {
    const Txn& txn = history_.at(nodes_[n]);
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      const Op& op = history_.at(OpId(i));
      if (op.kind == OpKind::Read) find_register_read(n, i);
      if (op.kind == OpKind::ReadList) find_list_read(n, i);
    }
  }
  void find_register_read(std::size_t n, std::uint32_t i) {
    const Op& read = history_.at(OpId(i));
    for (std::uint32_t j = i; j-- > history_.at(nodes_[n]).first_op;) {
      const Op& write = history_.at(OpId(j));
      if (write.kind != OpKind::Write || write.key != read.key) continue;
      if (write.value != read.value) internal_reads_are_right_ = false;
      return;
    }
    reads_.push_back({n, i, read.key, false, read.value, {}});
  }
  void find_list_read(std::size_t n, std::uint32_t i) {
    const Op& read = history_.at(OpId(i));
    std::vector<Atom> own;
    for (std::uint32_t j = history_.at(nodes_[n]).first_op; j < i; ++j) {
      const Op& op = history_.at(OpId(j));
      if (op.kind == OpKind::Append && op.key == read.key)
        own.push_back(op.value);
    }
    const ListView list = history_.list(read);
    std::vector<Atom> elements(list.begin(), list.end());
    if (elements.size() < own.size() ||
        !std::equal(own.rbegin(), own.rend(), elements.rbegin())) {
      internal_reads_are_right_ = false;
      return;
    }
    elements.resize(elements.size() - own.size());
    reads_.push_back({n, i, read.key, true, Atom(), std::move(elements)});
  }

  const History& history_;
  std::vector<TxnId> nodes_;
  std::vector<bool> is_committed_;
  std::vector<ExternalRead> reads_;
  bool internal_reads_are_right_ = true;
};

/// Calls `visit` with every total order of the nodes of the world, as their
/// sequence, that begins with the initial transaction and contains `before`,
/// until it returns false.
void for_each_total_order(
    std::size_t size, const Relation& before,
    const std::function<bool(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> sequence = {0};
  std::vector<bool> is_placed(size, false);
  is_placed[0] = true;
  const std::function<bool()> extend = [&] {
    if (sequence.size() == size) return visit(sequence);
    for (std::size_t n = 1; n < size; ++n) {
      if (is_placed[n]) continue;
      bool is_next = true;
      for (std::size_t m = 0; m < size; ++m)
        if (before.has(m, n) && !is_placed[m]) is_next = false;
      if (!is_next) continue;
      is_placed[n] = true;
      sequence.push_back(n);
      const bool go_on = extend();
      sequence.pop_back();
      is_placed[n] = false;
      if (!go_on) return false;
    }
    return true;
  };
  for (std::size_t n = 0; n < size; ++n)
    if (before.has(n, n)) return;
  extend();
}

Relation total_order(const std::vector<std::size_t>& sequence) {
  Relation co;
  for (std::size_t i = 0; i < sequence.size(); ++i)
    for (std::size_t j = i + 1; j < sequence.size(); ++j)
      co.add(sequence[i], sequence[j]);
  return co;
}

/// Everything that is quantified existentially, but for vis.
struct Execution {
  const World& world;
  Relation order;
  std::vector<std::size_t> sequence;  ///< co, as such ...
  Relation co;                        ///< ... and as a relation
  std::vector<std::size_t> writer;    ///< of each of world.reads()
  Relation wr;
};

/// Whether t2, a writer of what read r (of t3) reads, has to be no later than
/// the writer that r reads from.
bool premise(const Execution& x, Base base, std::size_t t2, std::size_t r) {
  const std::size_t t3 = x.world.reads()[r].reader;
  const auto precedes = [&](std::size_t a, std::size_t b) {
    return x.order.has(a, b) || x.wr.has(a, b);
  };
  const auto is_or_before = [&](std::size_t a, std::size_t b) {
    return a == b || x.co.has(a, b);  // co*
  };
  switch (base) {
    case Base::ReadUncommitted:
    case Base::ReadCommitted: return false;
    case Base::MonotonicAtomicView:
      // t3 read t2 by an event po-before r.
      for (std::size_t q = 0; q < x.writer.size(); ++q)
        if (x.world.reads()[q].reader == t3 &&
            x.world.reads()[q].op < x.world.reads()[r].op && x.writer[q] == t2)
          return true;
      return false;
    case Base::ReadAtomic:
      // (t2, t3) in order + wr.
      return precedes(t2, t3);
    case Base::Causal: {
      // (t2, t3) in (order + wr)+.
      Relation happens_before = x.order;
      happens_before.add(x.wr);
      happens_before.close();
      return happens_before.has(t2, t3);
    }
    case Base::Prefix:
      // (t2, t3) in co* ; (wr + order).
      for (std::size_t t4 = 0; t4 < x.world.size(); ++t4)
        if (is_or_before(t2, t4) && precedes(t4, t3)) return true;
      return false;
    case Base::SnapshotIsolation:
      // Prefix, or t3 and some t4 write a common key, (t2, t4) in co* and
      // (t4, t3) in co.
      for (std::size_t t4 = 0; t4 < x.world.size(); ++t4)
        if (x.world.write_a_common_key(t3, t4) && is_or_before(t2, t4) &&
            x.co.has(t4, t3))
          return true;
      return premise(x, Base::Prefix, t2, r);
    case Base::Serializable:
      // (t2, t3) in co.
      return x.co.has(t2, t3);
    case Base::ParallelSnapshotIsolation: break;
  }
  assert(false && "parallel snapshot isolation has no premise");
  return false;
}

/// "For every external read r of x in t3 from t1 and every committed t2 != t1
/// that writes x, the premise of the level implies (t2, t1) in co."
bool satisfies_axiom(const Execution& x, Base base) {
  for (std::size_t r = 0; r < x.writer.size(); ++r)
    for (std::size_t t2 = 0; t2 < x.world.size(); ++t2)
      if (t2 != x.writer[r] && x.world.writes(t2, x.world.reads()[r].key) &&
          premise(x, base, t2, r) && !x.co.has(t2, x.writer[r]))
        return false;
  return true;
}

/// "vis is transitive, order + wr <= vis <= ar (here co); each read takes the
/// ar-last visible writer; two writers of one key are vis-ordered."
bool is_psi_visibility(const Execution& x, const Relation& vis) {
  Relation closed = vis;
  closed.close();
  if (!vis.contains(closed) || !vis.contains(x.order) || !vis.contains(x.wr) ||
      !x.co.contains(vis))
    return false;
  for (std::size_t a = 0; a < x.world.size(); ++a)
    for (std::size_t b = 0; b < x.world.size(); ++b)
      if (a != b && x.world.write_a_common_key(a, b) && !vis.has(a, b) &&
          !vis.has(b, a))
        return false;
  for (std::size_t r = 0; r < x.writer.size(); ++r) {
    const ExternalRead& read = x.world.reads()[r];
    for (std::size_t t2 = 0; t2 < x.world.size(); ++t2)
      if (t2 != x.writer[r] && x.world.writes(t2, read.key) &&
          vis.has(t2, read.reader) && !x.co.has(t2, x.writer[r]))
        return false;
  }
  return true;
}

/// The least visibility that the definition allows, given ar: it has to contain
/// order, wr and, since writers of one key are vis-ordered and vis <= ar, their
/// ar-order; and to be transitive.  As every other condition asks that
/// something be *not* visible, it satisfies the definition if any vis does.
Relation least_visibility(const Execution& x) {
  Relation vis = x.order;
  vis.add(x.wr);
  for (std::size_t a = 0; a < x.world.size(); ++a)
    for (std::size_t b = 0; b < x.world.size(); ++b)
      if (x.co.has(a, b) && x.world.write_a_common_key(a, b)) vis.add(a, b);
  vis.close();
  return vis;
}

bool some_visibility_is_psi(const Execution& x) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < x.world.size(); ++a)
    for (std::size_t b = 1; b < x.world.size(); ++b)
      if (x.co.has(a, b)) pairs.emplace_back(a, b);
  for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << pairs.size();
       ++chosen) {
    Relation vis;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (chosen >> i & 1) vis.add(pairs[i].first, pairs[i].second);
    if (is_psi_visibility(x, vis)) return true;
  }
  return false;
}

/// The version order of a list is contained in co, and the appends of a
/// transaction are adjacent and in program order in it: it is the appends of
/// the writers, one after the other along co.  A read must be what the first
/// k writers appended, for some k; it reads from the k-th.
bool find_list_writers(const World& world,
                       const std::vector<std::size_t>& sequence,
                       std::vector<std::size_t>& writer) {
  for (std::size_t r = 0; r < writer.size(); ++r) {
    const ExternalRead& read = world.reads()[r];
    if (!read.is_list) continue;
    std::vector<Atom> versions;
    std::size_t last = 0;
    for (const std::size_t n : sequence) {
      if (versions.size() >= read.elements.size()) break;
      for (const Atom value : world.appends(n, read.key)) {
        versions.push_back(value);
        last = n;
      }
    }
    if (versions != read.elements) return false;
    writer[r] = last;
  }
  return true;
}

/// Calls `visit` with every assignment of writers to the register reads; the
/// entries of list reads are left alone.
void for_each_assignment(
    const World& world,
    const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> writer(world.reads().size(), 0);
  const std::function<void(std::size_t)> assign = [&](std::size_t r) {
    if (r == writer.size()) return visit(writer);
    if (world.reads()[r].is_list) return assign(r + 1);
    for (const std::size_t n : world.candidates(world.reads()[r])) {
      writer[r] = n;
      assign(r + 1);
    }
  };
  assign(0);
}

Relation reads_from(const World& world,
                    const std::vector<std::size_t>& writer) {
  Relation wr;
  for (std::size_t r = 0; r < writer.size(); ++r)
    wr.add(writer[r], world.reads()[r].reader);
  return wr;
}

void for_each_execution(const World& world, Order order,
                        const std::function<bool(const Execution&)>& visit) {
  if (!world.internal_reads_are_right()) return;
  for_each_assignment(world, [&](const std::vector<std::size_t>& registers) {
    // List reads are not known yet: their reads-from is tested below.
    Relation before = world.order(order);
    for (std::size_t r = 0; r < registers.size(); ++r)
      if (!world.reads()[r].is_list)
        before.add(registers[r], world.reads()[r].reader);
    for_each_total_order(world.size(), before,
                         [&](const std::vector<std::size_t>& sequence) {
                           Execution x{world,     world.order(order),
                                       sequence,  total_order(sequence),
                                       registers, {}};
                           if (!find_list_writers(world, sequence, x.writer))
                             return true;
                           x.wr = reads_from(world, x.writer);
                           return !x.co.contains(x.wr) || visit(x);
                         });
  });
}

/// Read uncommitted.  Nothing is asked of reads-from; the version orders of
/// lists, as far as they are known, and the order are contained in one co.
///
/// The version order of a list is again the appends of its writers along co,
/// but reads may end inside a transaction's appends (intermediate reads), and
/// may show *strangers*: elements that nobody appended who committed or may
/// have (aborted and thin-air reads, a matter of read committed), between the
/// appends of two transactions.
class KnownVersionOrder {
 public:
  KnownVersionOrder(const World& world, KeyId key) : world_(world), key_(key) {
    for (const ExternalRead& read : world.reads()) {
      if (read.key != key || !read.is_list) continue;
      const std::size_t common = std::min(read.elements.size(), list_.size());
      if (!std::equal(list_.begin(), list_.begin() + common,
                      read.elements.begin()))
        is_compatible_ = false;
      if (read.elements.size() > list_.size()) list_ = read.elements;
    }
  }

  [[nodiscard]] bool agrees_with(
      const std::vector<std::size_t>& sequence) const {
    if (!is_compatible_) return false;
    std::size_t at = 0;
    for (const std::size_t n : sequence) {
      const std::vector<Atom> block = world_.appends(n, key_);
      if (block.empty()) continue;
      while (at < list_.size() && is_stranger(list_[at])) ++at;
      for (const Atom value : block)
        if (at < list_.size() && list_[at++] != value) return false;
    }
    while (at < list_.size() && is_stranger(list_[at])) ++at;
    return at == list_.size();
  }

 private:
  bool is_stranger(Atom value) const {
    const History& history = world_.history();
    for (std::size_t t = 1; t < history.size(); ++t)
      if (history.at(TxnId(t)).status != Status::Aborted)
        for (const Op& op : history.ops(TxnId(t)))
          if (op.kind == OpKind::Append && op.key == key_ && op.value == value)
            return false;
    return true;
  }

  const World& world_;
  KeyId key_;
  std::vector<Atom> list_;  // the longest read
  bool is_compatible_ = true;
};

bool allows_read_uncommitted(const World& world, Order order) {
  std::vector<KnownVersionOrder> lists;
  for (std::size_t k = 0; k < world.history().key_count(); ++k)
    if (world.history().kind(KeyId(k)) == KeyKind::List)
      lists.emplace_back(world, KeyId(k));
  bool is_allowed = false;
  for_each_total_order(world.size(), world.order(order),
                       [&](const std::vector<std::size_t>& sequence) {
                         is_allowed = std::all_of(
                             lists.begin(), lists.end(), [&](const auto& list) {
                               return list.agrees_with(sequence);
                             });
                         return !is_allowed;
                       });
  return is_allowed;
}

/// "May count as committed or aborted, whichever helps."
void for_each_world(const History& history,
                    const std::function<void(const World&)>& visit) {
  const auto unknown = static_cast<std::size_t>(
      std::count_if(history.txns().begin(), history.txns().end(),
                    [](const Txn& t) { return t.status == Status::Unknown; }));
  for (std::size_t chosen = 0; chosen < std::size_t{1} << unknown; ++chosen) {
    std::vector<bool> committed(unknown);
    for (std::size_t i = 0; i < unknown; ++i) committed[i] = chosen >> i & 1;
    visit(World(history, committed));
  }
}

bool satisfies(const Execution& x, Base base) {
  return base == Base::ParallelSnapshotIsolation
             ? is_psi_visibility(x, least_visibility(x))
             : satisfies_axiom(x, base);
}

}  // namespace

OracleAnswers oracle(const History& history) {
  return oracle(history, kOrders);
}

OracleAnswers oracle(const History& history, std::span<const Order> orders) {
  OracleAnswers answers;
  for_each_world(history, [&](const World& world) {
    for (const Order order : orders) {
      if (!answers.allows({Base::ReadUncommitted, order}) &&
          allows_read_uncommitted(world, order))
        answers.allow(Base::ReadUncommitted, order);
      if (answers.is_complete(order)) continue;
      for_each_execution(world, order, [&](const Execution& x) {
        for (const Base base : all_bases())
          if (base != Base::ReadUncommitted && !answers.allows({base, order}) &&
              satisfies(x, base))
            answers.allow(base, order);
        return !answers.is_complete(order);
      });
    }
  });
  return answers;
}

bool oracle_allows(const History& history, Level level) {
  return oracle(history).allows(level);
}

namespace {

CommitOrder commit_order(const Execution& x) {
  CommitOrder order;
  const History& history = x.world.history();
  for (const std::size_t n : x.sequence) order.order.push_back(x.world.txn(n));
  for (std::size_t r = 0; r < x.writer.size(); ++r)
    order.reads_from.push_back(
        {OpId(x.world.reads()[r].op), x.world.txn(x.writer[r])});
  for (std::size_t t = 1; t < history.size(); ++t)
    if (history.at(TxnId(t)).status == Status::Unknown)
      order.outcomes.push_back({TxnId(t), x.world.takes_part(TxnId(t))});
  return order;
}

}  // namespace

bool oracle_accepts(const History& history, Level level,
                    const CommitOrder& order) {
  bool is_accepted = false;
  for_each_world(history, [&](const World& world) {
    for_each_execution(world, level.order, [&](const Execution& x) {
      const CommitOrder candidate = commit_order(x);
      is_accepted = is_accepted || (candidate.order == order.order &&
                                    candidate.reads_from == order.reads_from &&
                                    candidate.outcomes == order.outcomes &&
                                    satisfies(x, level.base));
      return !is_accepted;
    });
  });
  return is_accepted;
}

std::optional<CommitOrder> oracle_witness(const History& history, Level level) {
  std::optional<CommitOrder> witness;
  if (level.base == Base::ReadUncommitted) return witness;
  for_each_world(history, [&](const World& world) {
    if (witness) return;
    for_each_execution(world, level.order, [&](const Execution& x) {
      if (witness || !satisfies(x, level.base)) return !witness;
      witness = commit_order(x);
      return false;
    });
  });
  return witness;
}

double oracle_cost(const History& history) {
  double cost = 0;
  for_each_world(history, [&](const World& world) {
    double here = 1;
    for (std::size_t n = 2; n < world.size(); ++n)
      here *= static_cast<double>(n);
    for (const ExternalRead& read : world.reads())
      if (!read.is_list)
        here *= static_cast<double>(world.candidates(read).size());
    cost += here;
  });
  return cost;
}

bool oracle_allows_psi_by_all_visibilities(const History& history,
                                           Order order) {
  bool is_allowed = false;
  for_each_world(history, [&](const World& world) {
    for_each_execution(world, order, [&](const Execution& x) {
      is_allowed = is_allowed || some_visibility_is_psi(x);
      return !is_allowed;
    });
  });
  return is_allowed;
}

}  // namespace txscope
