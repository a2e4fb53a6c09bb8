#include "certify/holds.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "certify/execution.h"
#include "certify/past.h"

namespace txscope::certify {
namespace {

using Complaint = std::optional<std::string>;

/// "r(x)=0 of t3 reads from init, but t2, later in the order, ..."
std::string misses(const Execution& x, const Execution::Read& read,
                   TxnId missed, const std::string& why) {
  return x.describe(read.op) + " reads from " + x.name(read.writer) + ", but " +
         x.name(missed) + ", a later writer of the key, " + why;
}

/// serializable: (t2, t3) in co.  So every read takes the last writer before
/// its transaction; replay shows it.
Complaint check_serializable(const Execution& x) {
  std::vector<TxnId> last(x.history().key_count(), History::kInitial);
  for (const TxnId t : x.sequence()) {
    for (const auto& read : x.reads(t))
      if (last[read.key.index] != read.writer)
        return misses(x, read, last[read.key.index], "is before the reader");
    for (const KeyId k : x.keys(t)) last[k.index] = t;
  }
  return {};
}

/// prefix: (t2, t3) in co* ; (wr + order), and snapshot isolation: or in
/// co* ; (co between writers of a common key).  Either way the set of such t2
/// is a prefix of co, up to the last transaction that precedes t3 by the order,
/// that t3 reads from or, for snapshot isolation, that wrote a key of t3
/// before t3.  Every read takes the last writer of that prefix.
Complaint check_snapshots(const Execution& x, bool no_conflicts) {
  std::vector<TxnId> last(x.history().key_count(), History::kInitial);
  // Of the transactions that ended first, the furthest in co.
  std::vector<std::uint32_t> ended(1, 0);
  for (const TxnId t : x.by_end())
    ended.push_back(std::max(ended.back(), x.position(t)));
  for (const TxnId t : x.sequence()) {
    std::uint32_t snapshot = std::max(x.position(x.session_predecessor(t)),
                                      ended[x.ended_before(t)]);
    for (const auto& read : x.reads(t))
      snapshot = std::max(snapshot, x.position(read.writer));
    for (const KeyId k : x.keys(t)) {
      if (no_conflicts)
        snapshot = std::max(snapshot, x.position(last[k.index]));
      last[k.index] = t;
    }
    for (const auto& read : x.reads(t)) {
      const TxnId newest = x.last_writer(read.key, snapshot);
      if (newest != read.writer)
        return misses(x, read, newest,
                      "is in the snapshot, which contains " +
                          x.name(x.sequence()[snapshot]));
    }
  }
  return {};
}

/// monotonic atomic view (t3 read t2 by an event po-before r) and read atomic
/// ((t2, t3) in wr): looks at pairs of a read and a transaction that t3 read.
class ReadPairs {
 public:
  ReadPairs(const Execution& x, bool only_earlier)
      : x_(x), only_earlier_(only_earlier) {}

  Complaint check(TxnId t3) const {
    const auto reads = x_.reads(t3);
    std::vector<TxnId> seen;  // writers already compared
    for (std::size_t q = 0; q < reads.size(); ++q) {
      const TxnId t2 = reads[q].writer;
      if (t2 == History::kInitial) continue;
      if (std::find(seen.begin(), seen.end(), t2) != seen.end()) continue;
      if (seen.size() < kRemembered) seen.push_back(t2);
      for (std::size_t r = only_earlier_ ? q + 1 : 0; r < reads.size(); ++r)
        if (x_.position(reads[r].writer) < x_.position(t2) &&
            x_.reading().writes(t2, reads[r].key))
          return misses(x_, reads[r], t2,
                        "is read by " + x_.describe(reads[q].op));
    }
    return {};
  }

 private:
  static constexpr std::size_t kRemembered = 64;
  const Execution& x_;
  bool only_earlier_;
};

Complaint check_monotonic_atomic_view(const Execution& x) {
  const ReadPairs pairs(x, true);
  for (const TxnId t : x.sequence())
    if (auto complaint = pairs.check(t)) return complaint;
  return {};
}

/// read atomic: (t2, t3) in order + wr.
class ReadAtomic {
 public:
  explicit ReadAtomic(const Execution& x) : x_(x) {
    if (x.order() != Order::Realtime) return;
    // Per key: its writers by their end, and the furthest in co so far.
    ended_.resize(x.history().key_count());
    for (const TxnId t : x.by_end())
      for (const KeyId k : x.keys(t)) {
        auto& row = ended_[k.index];
        const bool is_further =
            row.empty() || x.position(t) > x.position(row.back().furthest);
        row.push_back(
            {x.history().at(t).end, is_further ? t : row.back().furthest});
      }
  }

  Complaint check() const {
    const ReadPairs pairs(x_, false);
    for (const TxnId t3 : x_.sequence()) {
      if (auto complaint = pairs.check(t3)) return complaint;
      for (const auto& read : x_.reads(t3)) {
        const TxnId before = last_in_session(t3, read.key);
        if (x_.position(before) > x_.position(read.writer))
          return misses(x_, read, before, "precedes it in the session");
        const TxnId ended = last_ended(t3, read.key);
        if (x_.position(ended) > x_.position(read.writer))
          return misses(x_, read, ended, "ended before it started");
      }
    }
    return {};
  }

 private:
  // co contains so: the last one in the session is the furthest in co.
  TxnId last_in_session(TxnId t3, KeyId key) const {
    if (x_.order() == Order::None) return History::kInitial;
    const auto writers = x_.reading().writers(key);
    auto after = std::lower_bound(writers.begin(), writers.end(), t3);
    while (after != writers.begin()) {
      --after;
      if (x_.history().at(*after).session != x_.history().at(t3).session) break;
      if (x_.takes_part(*after)) return *after;
    }
    return History::kInitial;
  }
  TxnId last_ended(TxnId t3, KeyId key) const {
    const std::int64_t start = x_.history().at(t3).start;
    if (x_.order() != Order::Realtime || start == Txn::kNoTime)
      return History::kInitial;
    const auto& row = ended_[key.index];
    const auto after = std::partition_point(
        row.begin(), row.end(), [&](const Ended& e) { return e.end < start; });
    return after == row.begin() ? History::kInitial : (after - 1)->furthest;
  }

  struct Ended {
    std::int64_t end;
    TxnId furthest;
  };
  const Execution& x_;
  std::vector<std::vector<Ended>> ended_;
};

/// causal: (t2, t3) in (order + wr)+, and parallel snapshot isolation, where
/// vis takes its place: with ar = co given, the least vis that the definition
/// allows is (order + wr + ww)+, ww being co between writers of a common key.
/// For vis must contain order and wr; as writers of one key are vis-ordered and
/// vis is contained in ar, it must contain ww; and it is transitive.  The only
/// other condition, that no visible writer be later than the one read from, is
/// easier for a smaller vis.  And that least one is contained in ar, as its
/// parts are.  So some vis will do if and only if this one does.
///
/// Method.  Pasts (past.h) along the sessions; at order none, where sessions
/// are no chains, every writer is a chain of its own.
template <class Line>
class PastCheck {
 public:
  PastCheck(const Execution& x, bool with_ww) : x_(x), with_ww_(with_ww) {
    places_.resize(x.sequence().size());
    std::uint32_t next = 0;
    for (const TxnId t : x.sequence()) {
      if (t == History::kInitial) continue;
      Place& place = places_[x.position(t)];
      if (x.order() != Order::None)
        place = {x.history().at(t).session.index, x.history().at(t).number};
      else if (!x.keys(t).empty())
        place = {next++, 1};
    }
    add_edges();
  }

  Complaint check() {
    Past<Line> past(places_);
    Complaint complaint;
    std::vector<Line> ended;  // joint past of those that ended first
    past.for_each_past(
        [&](std::size_t first) {
          ended.assign(1, {});
          find_lanes(first);
        },
        [&](std::size_t v, auto join) {
          for (std::uint32_t e = first_edge_[v]; e < first_edge_[v + 1]; ++e)
            join(edges_[e]);
        },
        [&](std::size_t v, std::size_t first, Line& line) {
          const TxnId t = x_.sequence()[v];
          // Those that ended before t started are before it in co.
          const std::size_t count = x_.ended_before(t);
          while (ended.size() <= count) {
            const TxnId next = x_.by_end()[ended.size() - 1];
            ended.push_back(ended.back());
            ended.back().join(past.line(x_.position(next)));
          }
          line.join(ended[count]);
          complaint = look(t, first, line);
          return !complaint;
        });
    return complaint;
  }

 private:
  using Place = typename Past<Line>::Place;

  const Place& place_of(TxnId t) const { return places_[x_.position(t)]; }
  bool sees(const Line& line, std::size_t first, TxnId t) const {
    const std::size_t lane = place_of(t).lane(first);
    return lane < Line::kLanes && line.has(lane, place_of(t).index);
  }

  void add_edges() {
    first_edge_.push_back(0);
    std::vector<TxnId> last(x_.history().key_count(), History::kInitial);
    for (const TxnId t : x_.sequence()) {
      const auto first = static_cast<std::ptrdiff_t>(edges_.size());
      add_edge(x_.session_predecessor(t));
      for (const auto& read : x_.reads(t)) add_edge(read.writer);
      for (const KeyId k : x_.keys(t)) {
        if (with_ww_) add_edge(last[k.index]);
        last[k.index] = t;
      }
      std::sort(edges_.begin() + first, edges_.end());
      edges_.erase(std::unique(edges_.begin() + first, edges_.end()),
                   edges_.end());
      first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    }
  }
  void add_edge(TxnId from) {
    if (from != History::kInitial) edges_.push_back(x_.position(from));
  }

  // Which of the sessions of this group write each key.
  void find_lanes(std::size_t first) {
    if (with_ww_ || x_.order() == Order::None) return;
    lanes_.assign(x_.history().key_count(), 0);
    const auto sessions = x_.history().sessions();
    for (std::size_t i = 0; i < Line::kLanes && first + i < sessions.size();
         ++i)
      for (TxnId t = sessions[first + i].first; t < sessions[first + i].end;
           t = TxnId(t.index + 1))
        if (x_.takes_part(t))
          for (const KeyId k : x_.keys(t))
            lanes_[k.index] |= static_cast<std::uint16_t>(1u << i);
  }

  Complaint look(TxnId t3, std::size_t first, const Line& line) const {
    for (const auto& read : x_.reads(t3)) {
      const TxnId t2 = later_seen(read, x_.position(t3), first, line);
      if (t2 != History::kInitial)
        return misses(x_, read, t2, "is visible to the reader");
    }
    return {};
  }

  // A later version than that of the read that the reader sees, or kInitial.
  TxnId later_seen(const Execution::Read& read, std::uint32_t reader,
                   std::size_t first, const Line& line) const {
    if constexpr (std::is_same_v<Line, ChainLanes>)
      if (!with_ww_) return later_seen_in_sessions(read, first, line);
    const auto row = x_.versions(read.key);
    for (auto next = std::upper_bound(
             row.begin(), row.end(), x_.position(read.writer),
             [&](std::uint32_t p, TxnId t) { return p < x_.position(t); });
         next != row.end() && x_.position(*next) < reader; ++next) {
      if (sees(line, first, *next)) return *next;
      // With ww a later version that is seen brings the next one along.
      if (with_ww_) break;
    }
    return History::kInitial;
  }

  // Along each session the last writer of the key that is seen is the one
  // furthest in co.
  TxnId later_seen_in_sessions(const Execution::Read& read, std::size_t first,
                               const ChainLanes& line) const {
    for (unsigned lanes = lanes_[read.key.index]; lanes != 0;
         lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      const TxnId t2 =
          last_writer_in_session(read.key, first + lane, line.reach[lane]);
      if (x_.position(t2) > x_.position(read.writer)) return t2;
    }
    return History::kInitial;
  }
  TxnId last_writer_in_session(KeyId key, std::size_t session,
                               std::uint32_t count) const {
    const TxnId first = x_.history().sessions()[session].first;
    const auto row = x_.reading().writers(key);
    auto after =
        std::lower_bound(row.begin(), row.end(), TxnId(first.index + count));
    while (after != row.begin() && *(after - 1) >= first) {
      --after;
      if (x_.takes_part(*after)) return *after;
    }
    return History::kInitial;
  }

  const Execution& x_;
  bool with_ww_;
  std::vector<Place> places_;  // by position
  std::vector<std::uint32_t> first_edge_;
  std::vector<std::uint32_t> edges_;
  std::vector<std::uint16_t> lanes_;  // by key
};

Complaint check_pasts(const Execution& x, bool with_ww) {
  if (x.order() == Order::None) return PastCheck<BitLanes>(x, with_ww).check();
  return PastCheck<ChainLanes>(x, with_ww).check();
}

/// read uncommitted: the version orders of lists, as far as reads show them,
/// are contained in co.  A version order is what the writers appended, along
/// co, but reads may end inside a transaction's appends and may show, between
/// two transactions, *strangers*: elements that nobody appended who committed
/// or may have.
class ShownVersions {
 public:
  ShownVersions(const Execution& x, KeyId key) : x_(x), key_(key) {}

  Complaint check() {
    if (auto complaint = find_longest()) return complaint;
    std::size_t at = 0;
    for (const TxnId t : x_.versions(key_)) {
      skip_strangers(at);
      for (const OpId op : x_.reading().appends(t, key_))
        if (at < shown_.size() && shown_[at++] != x_.history().at(op).value)
          return "the reads of list " + x_.history().name(key_) +
                 " show another order than that in which " + x_.name(t) +
                 " commits";
    }
    skip_strangers(at);
    if (at == shown_.size()) return {};
    return "the reads of list " + x_.history().name(key_) +
           " show more than was appended";
  }

 private:
  void skip_strangers(std::size_t& at) const {
    while (at < shown_.size() &&
           x_.reading().appends_of(key_, shown_[at]).empty())
      ++at;
  }

  Complaint find_longest() {
    OpId longest = kNone<OpId>;
    for (const auto& read : x_.reading().list_reads(key_)) {
      if (!x_.takes_part(read.reader)) continue;
      const auto elements = x_.reading().elements(read);
      const std::size_t common = std::min(elements.size(), shown_.size());
      if (elements.data() != shown_.data() &&
          !std::equal(elements.begin(), elements.begin() + common,
                      shown_.begin()))
        return x_.describe(read.op) + " and " + x_.describe(longest) +
               " are no prefixes of one order";
      if (elements.size() < shown_.size()) continue;
      shown_ = elements;
      longest = read.op;
    }
    return {};
  }

  const Execution& x_;
  KeyId key_;
  std::span<const Atom> shown_;  // the longest read
};

Complaint check_read_uncommitted(const Execution& x) {
  for (std::size_t k = 0; k < x.history().key_count(); ++k)
    if (x.history().kind(KeyId(k)) == KeyKind::List)
      if (auto complaint = ShownVersions(x, KeyId(k)).check()) return complaint;
  return {};
}

Complaint check_premise(const Execution& x, Base base) {
  switch (base) {
    case Base::ReadUncommitted: return check_read_uncommitted(x);
    case Base::ReadCommitted: return {};
    case Base::MonotonicAtomicView: return check_monotonic_atomic_view(x);
    case Base::ReadAtomic: return ReadAtomic(x).check();
    case Base::Causal: return check_pasts(x, false);
    case Base::ParallelSnapshotIsolation: return check_pasts(x, true);
    case Base::Prefix: return check_snapshots(x, false);
    case Base::SnapshotIsolation: return check_snapshots(x, true);
    case Base::Serializable: return check_serializable(x);
  }
  return "unknown level";
}

}  // namespace

Certificate certify_commit_order(const Reading& reading, Level level,
                                 const CommitOrder& order) {
  const Execution execution(reading, level, order);
  if (execution.complaint()) return {false, *execution.complaint()};
  if (auto complaint = check_premise(execution, level.base))
    return {false, *std::move(complaint)};
  return {true, ""};
}

}  // namespace txscope::certify
