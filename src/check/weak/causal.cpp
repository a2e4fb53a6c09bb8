#include <algorithm>
#include <limits>

#include "check/engines.h"
#include "check/weak/closure.h"
#include "check/weak/commit_graph.h"
#include "check/weak/vector_clocks.h"

namespace txscope::check {
namespace {

// The writers of each key, cut into runs of one session each.
class WriterRuns {
 public:
  struct Run {
    std::uint32_t session;
    TxnId oldest, youngest;
    std::uint32_t first, last;  // [first, last) of writers(k)
  };

  WriterRuns(const History& history, const Facts& facts) {
    begin_.reserve(history.key_count() + 1);
    begin_.push_back(0);
    for (std::size_t k = 0; k < history.key_count(); ++k) {
      const auto writers = facts.writers(KeyId(k));
      for (std::uint32_t i = 0; i < writers.size(); ++i) {
        const TxnId t = writers[i];
        const std::uint32_t session = history.at(t).session.index;
        if (runs_.size() > begin_.back() && runs_.back().session == session) {
          runs_.back().youngest = t;
          runs_.back().last = i + 1;
        } else {
          runs_.push_back({session, t, t, i, i + 1});
        }
      }
      begin_.push_back(static_cast<std::uint32_t>(runs_.size()));
    }
  }
  /// Those of sessions [first, end), ascending.
  [[nodiscard]] std::span<const Run> of(KeyId k, std::uint32_t first,
                                        std::uint32_t end) const {
    const auto by_session = [](const Run& run, std::uint32_t session) {
      return run.session < session;
    };
    const auto from = runs_.begin() + begin_[k.index];
    const auto to = runs_.begin() + begin_[k.index + 1];
    if (from == to || (from->session >= first && (to - 1)->session < end))
      return {from, to};
    const auto begin = std::lower_bound(from, to, first, by_session);
    return {begin, std::lower_bound(begin, to, end, by_session)};
  }

 private:
  std::vector<Run> runs_;
  std::vector<std::uint32_t> begin_;  // by key
};

// Goes through the happens-before graph in a topological order, with clocks of
// the sessions from `first` to before `end`: what sessions force is independent
// of each other.
template <class Place>
class Causality {
 public:
  Causality(const History& history, const Facts& facts, const OrderIndex& order,
            const Graph& happens_before, const WriterRuns& runs,
            std::uint32_t first, std::uint32_t end)
      : history_(history),
        facts_(facts),
        order_(order),
        graph_(happens_before),
        runs_(runs),
        first_(first),
        end_(end),
        clocks_(end - first, happens_before.size()),
        forced_before_(end - first, happens_before.size()),
        waiting_(happens_before.size()) {}

  // False if the budget ended.
  bool run(const std::vector<Node>& sorted, std::vector<Forced>& forced,
           const Budget& budget) {
    predecessors_.resize(order_.moment_count());
    clocks_.make(node(History::kInitial));
    for (Node n = 0; n < graph_.size(); ++n)
      waiting_[n] = static_cast<std::uint32_t>(graph_.successors(n).size());
    for (std::uint32_t t = 1; t < history_.size(); ++t)
      if (facts_.counts(TxnId(t)))
        if (const auto m = order_.moment_after(TxnId(t));
            m != OrderIndex::kNoMoment)
          predecessors_[m].push_back(TxnId(t));
    for (const Node n : sorted) {
      if (budget.spent()) return false;
      if (n == node(History::kInitial)) continue;
      if (n >= history_.size())
        pass_moment(static_cast<std::uint32_t>(n - history_.size()));
      else if (facts_.counts(TxnId(n)))
        pass(TxnId(n), forced);
    }
    return true;
  }

 private:
  void pass(TxnId t3, std::vector<Forced>& forced) {
    Place* past = clocks_.make(node(t3));
    if (const TxnId before = order_.previous(t3); before != kNone<TxnId>)
      clocks_.join(past, clocks_.of(node(before)));
    if (const auto m = order_.moment_before(t3); m != OrderIndex::kNoMoment)
      clocks_.join(past, clocks_.of(moment(m)));
    const auto reads = facts_.reads(t3);
    for (const Facts::Read& read : reads)
      if (read.writer != History::kInitial && !knows(past, read.writer))
        clocks_.join(past, clocks_.of(node(read.writer)));
    for (const Facts::Read& read : reads) force(read, past, forced);
    if (has_entry(t3)) past[entry_of(t3)] = place_of(t3);
    release_predecessors(t3);
    if (waiting_[t3.index] == 0) release(node(t3));
  }

  // The last writer of the key in each session that happened before t3, unless
  // it happened before t1 anyway or is already forced before it.
  void force(const Facts::Read& read, const Place* past,
             std::vector<Forced>& forced) {
    const Node t1 = node(read.writer);
    const bool has_forced = forced_before_.has(t1);
    Place* known = has_forced ? forced_before_.of(t1) : clocks_.of(t1);
    bool may_write = has_forced;
    for (const WriterRuns::Run& run : runs_.of(read.key, first_, end_)) {
      if (past[run.session - first_] <= known[run.session - first_]) continue;
      const std::uint32_t seen = txn_at(run.session, past);
      const std::uint32_t before = txn_at(run.session, known);
      if (run.oldest.index > seen || run.youngest.index <= before) continue;
      const TxnId t2 = last_until(read.key, run, seen);
      if (t2.index <= before || t2 == read.writer) continue;
      forced.push_back({t2, read.writer, read.op});
      if (!may_write) {
        known = forced_before_.make_copy(t1, known);
        may_write = true;
      }
      known[run.session - first_] = place_of(t2);
    }
  }

  [[nodiscard]] TxnId last_until(KeyId k, const WriterRuns::Run& run,
                                 std::uint32_t seen) const {
    if (run.youngest.index <= seen) return run.youngest;
    const auto writers = facts_.writers(k);
    return *(std::upper_bound(writers.begin() + run.first,
                              writers.begin() + run.last, TxnId(seen)) -
             1);
  }

  void pass_moment(std::uint32_t m) {
    Place* past = clocks_.make(moment(m));
    if (m > 0) {
      clocks_.join(past, clocks_.of(moment(m - 1)));
      release_one(moment(m - 1));
    }
    for (const TxnId t : predecessors_[m]) {
      if (!knows(past, t)) clocks_.join(past, clocks_.of(node(t)));
      release_one(node(t));
    }
    if (waiting_[moment(m)] == 0) release(moment(m));
  }

  // Mirrors the arcs that add_order() and add_reads_from() made.
  void release_predecessors(TxnId t3) {
    if (const TxnId before = order_.previous(t3); before != kNone<TxnId>)
      release_one(node(before));
    if (const auto m = order_.moment_before(t3); m != OrderIndex::kNoMoment)
      release_one(moment(m));
    TxnId last = History::kInitial;
    for (const Facts::Read& read : facts_.reads(t3)) {
      if (read.writer == last || read.writer == History::kInitial) continue;
      release_one(node(read.writer));
      last = read.writer;
    }
  }
  void release_one(Node n) {
    if (--waiting_[n] == 0) release(n);
  }
  void release(Node n) {
    clocks_.release(n);
    if (forced_before_.has(n)) forced_before_.release(n);
  }

  [[nodiscard]] Node moment(std::uint32_t m) const {
    return static_cast<Node>(history_.size() + m);
  }
  [[nodiscard]] std::uint32_t entry_of(TxnId t) const {
    return history_.at(t).session.index - first_;
  }
  [[nodiscard]] bool has_entry(TxnId t) const {
    return entry_of(t) < end_ - first_;  // sessions before `first_` wrap around
  }
  [[nodiscard]] Place place_of(TxnId t) const {
    const Session& session = history_.sessions()[history_.at(t).session.index];
    return static_cast<Place>(t.index - session.first.index + 1);
  }
  // The transaction that an entry stands for; 0 if there is none.
  [[nodiscard]] std::uint32_t txn_at(std::uint32_t session,
                                     const Place* clock) const {
    const auto place = static_cast<std::uint32_t>(clock[session - first_]);
    return place == 0 ? 0
                      : history_.sessions()[session].first.index + place - 1;
  }
  // Whether a clock has all that t's has.
  [[nodiscard]] bool knows(const Place* past, TxnId t) const {
    return has_entry(t) && past[entry_of(t)] >= place_of(t);
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  const Graph& graph_;
  const WriterRuns& runs_;
  const std::uint32_t first_;
  const std::uint32_t end_;
  VectorClocks<Place> clocks_;
  // Of transactions with forced edges into them: their clock, and what those
  // edges put before them.  Not to be joined: it is no happens-before.
  VectorClocks<Place> forced_before_;
  std::vector<std::uint32_t> waiting_;  // successors still to come, by node
  std::vector<std::vector<TxnId>> predecessors_;  // by moment
};

// Length of a clock: more would need more memory, and less more passes.  A
// fourth of the clocks are in use at a time.
std::uint32_t clock_bytes(const History& history) {
  constexpr std::size_t kMany = 200000;
  return history.size() < kMany ? 2048 : 1024;
}

// False if the budget ended.
template <class Place>
bool find_forced_by(const History& history, const Facts& facts,
                    const OrderIndex& order, const Graph& happens_before,
                    const std::vector<Node>& sorted,
                    std::vector<Forced>& forced, const Budget& budget) {
  const WriterRuns runs(history, facts);
  const auto sessions = static_cast<std::uint32_t>(history.sessions().size());
  const auto at_once =
      static_cast<std::uint32_t>(clock_bytes(history) / sizeof(Place));
  for (std::uint32_t first = 0; first < sessions; first += at_once) {
    const std::uint32_t end = std::min(sessions, first + at_once);
    if (!Causality<Place>(history, facts, order, happens_before, runs, first,
                          end)
             .run(sorted, forced, budget))
      return false;
  }
  return true;
}

bool find_forced(const History& history, const Facts& facts,
                 const OrderIndex& order, const Graph& happens_before,
                 const std::vector<Node>& sorted, std::vector<Forced>& forced,
                 const Budget& budget) {
  std::uint32_t longest = 0;
  for (const Session& s : history.sessions())
    longest = std::max(longest, s.end.index - s.first.index);
  const auto with = [&](auto place) {
    return find_forced_by<decltype(place)>(
        history, facts, order, happens_before, sorted, forced, budget);
  };
  // Signed, where SSE2 compares only those.
  if (longest <= std::numeric_limits<std::uint8_t>::max())
    return with(std::uint8_t{});
  if (longest <= std::numeric_limits<std::int16_t>::max())
    return with(std::int16_t{});
  return with(std::int32_t{});
}

std::vector<TxnId> counting_writers(const History& history,
                                    const Facts& facts) {
  std::vector<TxnId> writers;
  for (std::uint32_t t = 1; t < history.size(); ++t)
    if (facts.counts(TxnId(t)) && !facts.writes(TxnId(t)).empty())
      writers.push_back(TxnId(t));
  return writers;
}

// The components in topological order, the members of each as in `sorted`.
std::vector<Node> merge_orders(const Components& components,
                               const std::vector<Node>& sorted) {
  std::vector<Arc> members;  // a graph from components to their nodes
  members.reserve(sorted.size());
  for (const Node n : sorted)
    members.push_back({components.count - 1 - components.of[n], n});
  const Graph rows(components.of.size(), members);
  std::vector<Node> merged;
  merged.reserve(sorted.size());
  for (Node c = 0; c < components.count; ++c)
    merged.insert(merged.end(), rows.successors(c).begin(),
                  rows.successors(c).end());
  return merged;
}

// Order none.  What session order allows is allowed here, and what read-atomic
// forbids is forbidden.  Between them: a cycle at order none lies in one
// component of session order's graph, because that graph's paths contain all
// edges that order none forces; so only the members of its components are
// looked at, and the components themselves are already in order.
Verdict check_without_order(const History& history, const Facts& facts,
                            const OrderIndex& none,
                            const std::vector<Node>& sorted,
                            const Budget& budget) {
  const Level level{Base::Causal, Order::None};
  const OrderIndex sessions(history, facts, Order::Session);
  std::vector<Arc> arcs;
  add_order(history, facts, sessions, arcs);
  add_reads_from(history, facts, arcs);
  const Graph before(history.size(), arcs);
  const auto sorted_by_sessions = topological_order(before);
  std::vector<Forced> forced;
  if (sorted_by_sessions && !find_forced(history, facts, sessions, before,
                                         *sorted_by_sessions, forced, budget))
    return {level, budget.reason()};
  add_version_orders(history, facts, arcs);
  for (const Forced& f : forced) arcs.push_back({node(f.t2), node(f.t1)});
  const Graph by_sessions(history.size(), arcs);
  if (const auto order = topological_order(by_sessions))
    return {level, make_commit_order(history, facts, *order)};
  Verdict weaker = check_read_atomic(history, facts, none, budget);
  if (weaker.outcome() != Outcome::Holds)
    return {level, std::move(weaker.evidence)};

  if (!sorted_by_sessions) {  // without clocks, all of it
    forced.clear();
    const auto writers = counting_writers(history, facts);
    if (!Closure(history, facts, nullptr, sorted).run(writers, forced, budget))
      return {level, budget.reason()};
    return conclude(history, facts, none, level, forced, budget);
  }
  const Components components = strong_components(by_sessions);
  const std::vector<Node> sizes = components.sizes();
  std::vector<TxnId> suspects = counting_writers(history, facts);
  std::erase_if(suspects,
                [&](TxnId t) { return sizes[components.of[t.index]] == 1; });
  forced.clear();
  if (!Closure(history, facts, &components, sorted)
           .run(suspects, forced, budget))
    return {level, budget.reason()};
  Verdict verdict = conclude(history, facts, none, level, forced, budget);
  if (verdict.outcome() != Outcome::Holds) return verdict;
  std::vector<Node> inner;
  for (const TxnId t : verdict.commit_order().order) inner.push_back(node(t));
  return {level,
          make_commit_order(history, facts, merge_orders(components, inner))};
}

}  // namespace

// Causal consistency: what a transaction could know, it sees.
//
// Definition.  If t3 reads x from t1, and t2 writes x, too, and t2 reaches t3
// by the order and reads-from, then t2 precedes t1 in co.  Biswas and Enea,
// OOPSLA 2019, section 2.2 (the axiom), section 3 (why a polynomial saturation
// suffices: the premise does not mention co).
// Method.  In a topological order of happens-before, each transaction's vector
// clock has the last predecessor in each session.  Per read and session only
// the last writer of the key up to that entry is forced before t1, and only if
// t1's own clock does not have it.  Then one topological sort.  At order none
// sessions are no chains; see check_without_order().  Møldrup and
// Pavlogiannis, PLDI 2025 (clocks, last writers).
// Invariant.  Earlier writers of a session follow through the session, those
// in t1's clock through happens-before; every edge lies in every co.
// Cost.  Per read the sessions that write its key; per transaction as many
// joins of clocks as it reads from writers it did not know of, once for every
// 1 or 2 KB of a clock (256 to 2,048 sessions); memory for clocks of that
// length.
Verdict check_causal(const History& history, const Facts& facts,
                     const OrderIndex& order, const Budget& budget) {
  const Level level{Base::Causal, order.order()};
  std::vector<Arc> arcs;
  add_order(history, facts, order, arcs);
  add_reads_from(history, facts, arcs);
  if (budget.spent_now()) return {level, budget.reason()};
  const Graph happens_before(node_count(history, order), arcs);
  if (budget.spent_now()) return {level, budget.reason()};
  const auto sorted = topological_order(happens_before);
  std::vector<Forced> forced;
  if (!sorted) return conclude(history, facts, order, level, forced, budget);
  arcs = {};
  if (order.order() == Order::None)
    return check_without_order(history, facts, order, *sorted, budget);
  if (!find_forced(history, facts, order, happens_before, *sorted, forced,
                   budget))
    return {level, budget.reason()};
  return conclude(history, facts, order, level, forced, budget);
}

}  // namespace txscope::check
