#include "check/strong/saturate.h"

#include <algorithm>
#include <limits>

#include "check/strong/pair_set.h"

namespace txscope::check {
namespace {

using Node = KnownGraph::Node;
using Link = KnownGraph::Link;

constexpr std::size_t kCacheLine = 64;
/// Clocks of so many sessions at once as fit into this; at least a cache line
/// of them.  Each scan looks at all reads and writes again.
constexpr std::size_t kMostClocks = std::size_t{64} << 20;
/// A round that found fewer links than one in so many was the last.
constexpr std::size_t kLinksPerFound = 12;
constexpr std::uint32_t kNodesPerLook = 1024;  // at the budget

/// `Place` is what counts the transactions of a session: the smaller it is, the
/// more sessions go into a clock and the fewer scans there are.
template <class Place>
class Saturation {
 public:
  Saturation(const History& history, const Facts& facts,
             const KnownGraph& graph, const Budget& budget)
      : history_(history), facts_(facts), graph_(graph), budget_(budget) {}

  std::vector<ForcedLink> run(int max_rounds);

 private:
  static constexpr std::size_t kLeastLanes = kCacheLine / sizeof(Place);
  static constexpr std::size_t kVector = 16 / sizeof(Place);
  static constexpr std::size_t kHalf = kVector / 2;
  void join(Place* __restrict into, const Place* __restrict from) const {
    std::size_t i = 0;
    for (; i + kVector <= stride_; i += kVector)
      for (std::size_t j = 0; j < kVector; ++j)
        into[i + j] = std::max(into[i + j], from[i + j]);
    if (i == stride_) return;
    for (std::size_t j = 0; j < kHalf; ++j)
      into[i + j] = std::max(into[i + j], from[i + j]);
  }

  /// The writers of a key in one session: writers_ from `first` to where the
  /// next segment begins.
  struct Segment {
    std::uint32_t session;
    std::uint32_t first;
  };
  static std::uint32_t end_of(const Segment& segment) {
    return (&segment + 1)->first;
  }
  static constexpr std::uint32_t kNobody = 0xffffffffu;

  void choose_lanes();
  void find_segments();
  bool sort();
  void link_predecessors();
  void scan(std::uint32_t first_session);
  void look_at_reads(TxnId t, const Place* reached);
  void look_at_writes(TxnId t, const Place* reached);
  void overwrite(KeyId key, TxnId earlier, TxnId t, const Place* reached);
  void find_first_segments();
  [[nodiscard]] bool is_known(Node reader, TxnId t, const Place* reached) const;
  void add(Link link, Link because);
  /// Those of a key that is written in the current sessions.
  [[nodiscard]] std::span<const Segment> segments(KeyId key) const;
  [[nodiscard]] bool is_written(KeyId key) const {
    return first_segment_[key.index] != kNobody;
  }
  /// The last writer of a segment that is no later in its session than `upto`,
  /// as an index into writers_.
  [[nodiscard]] std::uint32_t last_writer(const Segment& segment,
                                          Place upto) const;
  /// The last one before t in its own session, or kNone.
  [[nodiscard]] TxnId previous_writer(KeyId key, TxnId t) const;
  [[nodiscard]] Place place(TxnId t) const { return places_[t.index]; }
  [[nodiscard]] std::uint32_t lane(TxnId t) const {
    return sessions_[t.index] - first_session_;
  }
  /// Whether a clock has all that p's has: sessions are chains.
  [[nodiscard]] bool is_reached(Node p, const Place* commits) const {
    const TxnId t = graph_.txn_of(p);
    return t != kNone<TxnId> && t != History::kInitial && lane(t) < lanes_ &&
           commits[lane(t)] >= place(t);
  }
  [[nodiscard]] const Place* clock(const std::vector<Place>& clocks,
                                   Node n) const {
    return clocks.data() + rank_[n] * stride_;
  }
  [[nodiscard]] std::span<const Node> forced_predecessors(Node n) const {
    if (forced_begin_.empty()) return {};
    return std::span(forced_from_)
        .subspan(forced_begin_[n], forced_begin_[n + 1] - forced_begin_[n]);
  }
  [[nodiscard]] bool needs_starts() const {
    return graph_.base() == Base::SnapshotIsolation;
  }

  const History& history_;
  const Facts& facts_;
  const KnownGraph& graph_;
  const Budget& budget_;

  // By transaction; next to one another, which Txn's fields are not.
  std::vector<Place> places_;  // in its session, from 1
  std::vector<std::uint32_t> sessions_;
  std::vector<std::uint32_t> segment_begin_;  // by key
  std::vector<Segment> segments_;
  // Those that count, by key.
  std::span<const TxnId> writers_;
  std::vector<TxnId> counting_writers_;  // if some of them do not
  std::vector<ForcedLink> found_;
  std::uint32_t round_ = 0;
  PairSet is_found_;
  // Predecessors by links found in earlier rounds, rows by node.
  std::vector<std::uint32_t> forced_begin_;
  std::vector<Node> forced_from_;
  std::vector<bool> is_followed_;    // by node: it has a successor
  std::vector<Node> order_;          // of those that are asked for
  std::vector<std::uint32_t> rank_;  // by node: its place in order_
  struct Candidate {
    std::uint32_t writer;  // into writers_
    std::uint32_t lane;
  };
  std::vector<Candidate> candidates_;
  std::uint32_t first_session_ = 0;
  // By key: the first segment in the current sessions, kNobody without one.
  std::vector<std::uint32_t> first_segment_;
  std::uint32_t lanes_ = 0;  // sessions in a scan
  // By rank, so that what is needed was mostly written a short while ago:
  // commits and starts that reach the node, `stride_` places each.
  std::size_t stride_ = 0;
  std::vector<Place> commits_;
  std::vector<Place> starts_;
};

template <class Place>
std::vector<ForcedLink> Saturation<Place>::run(int max_rounds) {
  find_segments();
  const auto sessions = static_cast<std::uint32_t>(history_.sessions().size());
  for (int round = 0; round < max_rounds; ++round) {
    ++round_;
    link_predecessors();
    if (!sort()) break;
    choose_lanes();
    const std::size_t before = found_.size();
    for (std::uint32_t s = 0; s < sessions; s += lanes_) {
      if (budget_.spent_now()) return std::move(found_);
      scan(s);
    }
    // Each round finds a small part of what the one before found, and a round
    // costs more than it takes the search to find a few.
    if (found_.size() - before <= graph_.link_count() / kLinksPerFound) break;
  }
  return std::move(found_);
}

// Scans of equal width.
template <class Place>
void Saturation<Place>::choose_lanes() {
  const std::size_t sessions = history_.sessions().size();
  const std::size_t nodes =
      std::max<std::size_t>(order_.size(), 1) * (needs_starts() ? 2 : 1);
  const std::size_t most =
      std::max(kLeastLanes, kMostClocks / sizeof(Place) / nodes);
  const std::size_t scans = (sessions + most - 1) / most;
  lanes_ = static_cast<std::uint32_t>((sessions + scans - 1) / scans);
  stride_ = (lanes_ + kHalf - 1) / kHalf * kHalf;
}

template <class Place>
void Saturation<Place>::find_segments() {
  places_.resize(history_.size());
  sessions_.resize(history_.size());
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    sessions_[i] = history_.at(TxnId(i)).session.index;
    places_[i] = static_cast<Place>(
        i - history_.sessions()[sessions_[i]].first.index + 1);
  }
  segment_begin_.resize(history_.key_count() + 1);
  segments_.reserve(facts_.writers().size() + 1);  // unused: costs nothing
  found_.reserve(graph_.link_count());             // the same
  // Where nothing is open, all of them count.
  const bool keeps_own = facts_.is_open();
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
    for (const TxnId t : facts_.writers(KeyId(k))) {
      if (!facts_.counts(t)) continue;
      const std::uint32_t session = sessions_[t.index];
      if (segments_.size() == segment_begin_[k] ||
          segments_.back().session != session)
        segments_.push_back({session, count});
      if (keeps_own) counting_writers_.push_back(t);
      ++count;
    }
    segment_begin_[k + 1] = static_cast<std::uint32_t>(segments_.size());
  }
  writers_ =
      keeps_own ? std::span<const TxnId>(counting_writers_) : facts_.writers();
  segments_.push_back({kNobody, static_cast<std::uint32_t>(writers_.size())});
}

template <class Place>
std::span<const typename Saturation<Place>::Segment>
Saturation<Place>::segments(KeyId key) const {
  const auto first = segments_.begin() + first_segment_[key.index];
  const auto end = segments_.begin() + segment_begin_[key.index + 1];
  auto last = first;
  while (last != end && last->session < first_session_ + lanes_) ++last;
  return {first, last};
}

template <class Place>
std::uint32_t Saturation<Place>::last_writer(const Segment& segment,
                                             Place upto) const {
  if (upto == 0) return kNobody;
  const TxnId limit(history_.sessions()[segment.session].first.index +
                    static_cast<std::uint32_t>(upto));
  std::uint32_t after = end_of(segment);
  if (after - segment.first > 8)
    after = static_cast<std::uint32_t>(
        std::lower_bound(writers_.begin() + segment.first,
                         writers_.begin() + after, limit) -
        writers_.begin());
  while (after != segment.first && writers_[after - 1] >= limit) --after;
  return after == segment.first ? kNobody : after - 1;
}

template <class Place>
TxnId Saturation<Place>::previous_writer(KeyId key, TxnId t) const {
  const auto segment = std::lower_bound(
      segments_.begin() + segment_begin_[key.index],
      segments_.begin() + segment_begin_[key.index + 1], sessions_[t.index],
      [](const Segment& s, std::uint32_t session) {
        return s.session < session;
      });
  const auto place = static_cast<Place>(this->place(t) - 1);
  const std::uint32_t before = last_writer(*segment, place);
  return before == kNobody ? kNone<TxnId> : writers_[before];
}

template <class Place>
void Saturation<Place>::link_predecessors() {
  is_followed_.assign(graph_.node_count(), false);
  graph_.for_links([&](const Link& link) { is_followed_[link.from] = true; });
  if (found_.empty()) return;
  forced_begin_.assign(graph_.node_count() + 1, 0);
  for (const ForcedLink& forced : found_) {
    ++forced_begin_[forced.link.to + 1];
    is_followed_[forced.link.from] = true;
  }
  for (std::size_t i = 0; i < graph_.node_count(); ++i)
    forced_begin_[i + 1] += forced_begin_[i];
  forced_from_.resize(forced_begin_.back());
  std::vector<std::uint32_t> at(forced_begin_.begin(), forced_begin_.end() - 1);
  for (const ForcedLink& forced : found_)
    forced_from_[at[forced.link.to]++] = forced.link.from;
}

// Depth first along predecessors, with a stack of our own.  False at a cycle.
// Nodes that are no transactions and that nothing follows, as most shared nodes
// of readers at first, need no clock and have no rank.
template <class Place>
bool Saturation<Place>::sort() {
  enum : std::uint8_t { kNew, kOpen, kDone };
  std::vector<std::uint8_t> state(graph_.node_count(), kNew);
  struct Visit {
    Node node;
    std::uint32_t next;  // of its predecessors
  };
  std::vector<Visit> stack;
  order_.clear();
  order_.reserve(graph_.node_count());  // what is not used costs nothing
  rank_.resize(graph_.node_count());
  for (Node root = 0; root < graph_.node_count(); ++root) {
    if (state[root] != kNew) continue;
    if (!is_followed_[root] && graph_.txn_of(root) == kNone<TxnId>) continue;
    stack.push_back({root, 0});
    state[root] = kOpen;
    while (!stack.empty()) {
      auto& [n, next] = stack.back();
      const auto known = graph_.predecessors(n);
      const auto forced = forced_predecessors(n);
      if (next == known.size() + forced.size()) {
        state[n] = kDone;
        rank_[n] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(n);
        stack.pop_back();
        continue;
      }
      const Node p =
          next < known.size() ? known[next] : forced[next - known.size()];
      ++next;
      if (state[p] == kOpen) return false;
      if (state[p] == kDone) continue;
      state[p] = kOpen;
      stack.push_back({p, 0});
    }
  }
  return true;
}

// Lets the clocks of some sessions run along the graph.
template <class Place>
void Saturation<Place>::scan(std::uint32_t first_session) {
  first_session_ = first_session;
  find_first_segments();
  commits_.resize(order_.size() * stride_);
  if (needs_starts()) starts_.resize(order_.size() * stride_);
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
    if (rank % kNodesPerLook == 0 && budget_.spent_now()) return;
    const Node n = order_[rank];
    Place* commits = &commits_[rank * stride_];
    Place* starts = needs_starts() ? &starts_[rank * stride_] : nullptr;
    std::fill_n(commits, stride_, Place{0});
    if (starts != nullptr) std::fill_n(starts, stride_, Place{0});
    const auto join_all = [&](std::span<const Node> predecessors) {
      for (const Node p : predecessors) {
        if (is_reached(p, commits)) continue;
        join(commits, clock(commits_, p));
        if (starts != nullptr) join(starts, clock(starts_, p));
      }
    };
    join_all(graph_.predecessors(n));
    join_all(forced_predecessors(n));
    const TxnId t = graph_.txn_of(n);
    if (t == kNone<TxnId> || t == History::kInitial || !facts_.counts(t))
      continue;
    if (graph_.is_start(n)) look_at_reads(t, commits);
    if (graph_.is_commit(n) && graph_.has_anti_dependencies())
      look_at_writes(t, starts != nullptr ? starts : commits);
    if (lane(t) >= lanes_) continue;
    if (graph_.is_commit(n)) commits[lane(t)] = place(t);
    if (graph_.is_start(n) && starts != nullptr) starts[lane(t)] = place(t);
  }
}

// Most keys are written in few sessions.
template <class Place>
void Saturation<Place>::find_first_segments() {
  first_segment_.assign(history_.key_count(), kNobody);
  for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
    const auto begin = segments_.begin() + segment_begin_[k];
    const auto end = segments_.begin() + segment_begin_[k + 1];
    const auto first =
        std::lower_bound(begin, end, first_session_,
                         [](const Segment& s, std::uint32_t session) {
                           return s.session < session;
                         });
    if (first != end && first->session < first_session_ + lanes_)
      first_segment_[k] = static_cast<std::uint32_t>(first - segments_.begin());
  }
}

// Writers that t surely sees are before those that it read.
template <class Place>
void Saturation<Place>::look_at_reads(TxnId t, const Place* reached) {
  for (const Facts::Read& read : facts_.reads(t)) {
    if (!is_written(read.key) || read.writer == kNone<TxnId> ||
        read.writer == History::kInitial)
      continue;
    const Place* known =
        clock(commits_, graph_.write_order(read.writer, read.writer).to);
    for (const Segment& segment : segments(read.key)) {
      const std::uint32_t at = segment.session - first_session_;
      if (reached[at] <= known[at]) continue;
      const std::uint32_t last = last_writer(segment, reached[at]);
      if (last == kNobody) continue;
      const TxnId seen = writers_[last];
      if (seen != read.writer && seen != t && place(seen) > known[at])
        add(graph_.write_order(seen, read.writer),
            {graph_.commit(seen), graph_.start(t)});
    }
  }
}

// Writers that cannot be after t are before it, and so are their readers.
template <class Place>
void Saturation<Place>::look_at_writes(TxnId t, const Place* reached) {
  const auto& clocks = needs_starts() ? starts_ : commits_;
  for (const KeyId key : facts_.writes(t)) {
    if (!is_written(key)) continue;
    candidates_.clear();
    for (const Segment& segment : segments(key)) {
      const std::uint32_t at = segment.session - first_session_;
      const std::uint32_t last = last_writer(segment, reached[at]);
      if (last != kNobody && writers_[last] != t)
        candidates_.push_back({last, at});
    }
    if (candidates_.empty()) continue;
    // The latest of those whose clocks are set says most; what it and the
    // previous writer of t's session have said need not be repeated.
    TxnId latest = kNone<TxnId>;
    for (const Candidate& c : candidates_) {
      const std::uint32_t rank = rank_[graph_.commit(writers_[c.writer])];
      if (rank < rank_[graph_.commit(t)] &&
          (latest == kNone<TxnId> || rank > rank_[graph_.commit(latest)]))
        latest = writers_[c.writer];
    }
    const TxnId previous = previous_writer(key, t);
    for (const Candidate& c : candidates_) {
      const TxnId earlier = writers_[c.writer];
      if (latest != kNone<TxnId> && earlier != latest &&
          place(earlier) <= clock(clocks, graph_.commit(latest))[c.lane])
        continue;
      if (previous != kNone<TxnId> &&
          place(earlier) <= clock(clocks, graph_.commit(previous))[c.lane])
        continue;
      overwrite(key, earlier, t, reached);
    }
  }
}

template <class Place>
void Saturation<Place>::overwrite(KeyId key, TxnId earlier, TxnId t,
                                  const Place* reached) {
  const Link because{
      needs_starts() ? graph_.start(earlier) : graph_.commit(earlier),
      graph_.commit(t)};
  if (needs_starts()) add(graph_.write_order(earlier, t), because);
  const Node readers = graph_.reader_node(graph_.version(key, earlier));
  if (readers == KnownGraph::kNoNode || is_known(readers, t, reached) ||
      (graph_.start(t) == graph_.commit(t) && graph_.has_read(t, key, earlier)))
    return;
  add({readers, graph_.commit(t)}, because);
}

// Whether these clocks show that a single reader is before t.
template <class Place>
bool Saturation<Place>::is_known(Node reader, TxnId t,
                                 const Place* reached) const {
  if (graph_.start(t) != graph_.commit(t) && !needs_starts()) return false;
  const TxnId r = graph_.txn_of(reader);
  if (r == kNone<TxnId>) return false;
  return lane(r) < lanes_ && place(r) <= reached[lane(r)];
}

template <class Place>
void Saturation<Place>::add(Link link, Link because) {
  if (is_found_.insert(link.from, link.to))
    found_.push_back({link, because, round_});
}

}  // namespace

std::vector<Link> links_of(std::span<const ForcedLink> forced) {
  std::vector<Link> links;
  links.reserve(forced.size());
  for (const ForcedLink& f : forced) links.push_back(f.link);
  return links;
}

std::vector<ForcedLink> saturate(const History& history, const Facts& facts,
                                 const KnownGraph& graph, int max_rounds,
                                 const Budget& budget) {
  std::uint32_t longest = 0;
  for (const Session& s : history.sessions())
    longest = std::max(longest, s.end.index - s.first.index);
  const auto run = [&](auto place) {
    return Saturation<decltype(place)>(history, facts, graph, budget)
        .run(max_rounds);
  };
  if (longest <= std::numeric_limits<std::uint8_t>::max())
    return run(std::uint8_t{});
  if (longest <= std::numeric_limits<std::uint16_t>::max())
    return run(std::uint16_t{});
  return run(std::int32_t{});  // signed: SSE2 compares them
}

}  // namespace txscope::check
