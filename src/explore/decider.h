#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.h"
#include "explore/bits.h"
#include "model/level.h"

namespace txscope::explore {

/// What a decider has to know of a history: who reads what from whom, who
/// writes what, and what precedes what for certain.
template <std::size_t V>
struct DeciderInput {
  struct Read {
    std::uint16_t reader;
    std::uint16_t source;
    std::uint32_t key;  ///< index into `writers`
  };
  std::vector<std::uint16_t> members;  ///< transactions, without init
  std::vector<Read> reads;             ///< external; each (reader, key) once
  std::vector<Bits<V>> writers;  ///< committed, without init; of each key that
                                 ///< somebody writes
  std::vector<Bits<V>> past;     ///< by transaction: (so + wr)+, init included
  std::vector<Bits<V>> before;   ///< and with what the weaker levels force
};

/// Decides prefix, parallel-snapshot, snapshot and serializable for histories
/// small enough for bit sets, and which final states their orders leave open.
///
/// Definition.  A history has the level iff the writers of each key can be
/// ordered (ww) such that a graph has no cycle: over transactions for
/// serializable (so, wr, ww, rw); over starts s and commits c for snapshot (c
/// -> s for so, wr, ww; s -> c for rw) and prefix (c -> c for ww); for
/// parallel-snapshot so + wr + ww must be acyclic and never followed by rw
/// back to its start (Cerone, Gotsman, "Analysing Snapshot Isolation", JACM
/// 2018; Biswas, Enea, OOPSLA 2019).  At the levels up to causal any order that
/// contains what they force is as good as any other.
///
/// Method.  The graph is kept transitively closed.  A pair of writers that can
/// only be ordered one way is ordered so, until nothing changes; then one pair
/// is guessed.
///
/// Cost.  Nearly always no guess is needed; each edge costs one pass over the
/// nodes.
template <std::size_t V>
class Decider {
 public:
  explicit Decider(const Budget& budget) : budget_(budget) {}

  /// Takes up a history at a level.  False if it is plainly inconsistent.
  /// `input` must stay as it is until the next load.
  bool load(const DeciderInput<V>& input, Base level);
  /// Whether what has been required so far can be completed.  False, too, if
  /// the budget ended.  `wants_order` keeps what precedes() tells.
  bool solve(bool wants_order = false);

  /// Requires that `writer` is the last of the writers of `key`.  False if
  /// that is plainly impossible; pop() takes it back in either case.
  bool push_last(std::uint32_t key, std::size_t writer);
  /// The same for: `first` precedes `second` among the writers of `key`.
  bool push_order(std::uint32_t key, std::size_t first, std::size_t second);
  void pop() { --depth_; }
  /// Whether that is settled, as far as known.
  [[nodiscard]] bool is_ordered(std::size_t first, std::size_t second) const {
    return state().before[commit_node(second)].test(commit_node(first));
  }
  /// The writers of `key` that may be its last, as far as known.
  [[nodiscard]] Bits<V> last_candidates(std::uint32_t key) const;

  /// After a successful solve(true): whether a commits before b.  Every total
  /// order that contains this one shows the level.
  [[nodiscard]] bool precedes(std::size_t a, std::size_t b) const {
    return solved_[commit_node(b)].test(commit_node(a));
  }

 private:
  enum class Graph : std::uint8_t { Plain, Parallel, Prefix, Snapshot, Serial };
  struct Pair {
    std::uint16_t a;
    std::uint16_t b;
    std::uint32_t key;
  };
  struct State {
    std::vector<Bits<V>> before;
    std::vector<std::uint8_t> is_decided;  // by pair
  };

  [[nodiscard]] bool is_split() const {
    return graph_ == Graph::Prefix || graph_ == Graph::Snapshot;
  }
  [[nodiscard]] std::size_t start_node(std::size_t t) const {
    return is_split() ? 2 * t : t;
  }
  [[nodiscard]] std::size_t commit_node(std::size_t t) const {
    return is_split() ? 2 * t + 1 : t;
  }
  void close_whole();
  void close_split();
  void push();
  bool add_edge(std::size_t from, std::size_t to);
  [[nodiscard]] bool may_add(std::size_t from, std::size_t to) const;
  bool order_writers(std::size_t a, std::size_t b, std::uint32_t key);
  [[nodiscard]] bool may_order(std::size_t a, std::size_t b,
                               std::uint32_t key) const;
  bool propagate();
  bool propagate_pairs(bool& changed);
  bool propagate_visible(bool& changed);
  [[nodiscard]] State& state() { return states_[depth_]; }
  [[nodiscard]] const State& state() const { return states_[depth_]; }

  const Budget& budget_;
  const DeciderInput<V>* input_ = nullptr;
  Graph graph_ = Graph::Plain;
  std::size_t node_count_ = 0;
  std::vector<Pair> pairs_;
  std::vector<State> states_;  // reused
  std::size_t depth_ = 0;
  std::vector<std::size_t> guesses_;
  std::vector<std::uint16_t> order_;  // members, as close_split() takes them
  std::vector<Bits<V>> solved_;
};

extern template class Decider<1>;
extern template class Decider<2>;
extern template class Decider<128>;

}  // namespace txscope::explore
