#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/random.h"
#include "exec/script.h"
#include "explore/forced_order.h"
#include "explore/ordered_history.h"

namespace txscope::explore {

/// A piece of the search that can be written down, shipped and resumed
/// anywhere: an ordered history, as the transactions in `<` order with the
/// sources of their external reads in program order.  If `is_pending`, the
/// last transaction has more events to come; else the swaps of the last commit
/// belong to somebody else, and the search goes on with the next transaction.
struct WorkItem {
  struct Txn {
    std::uint16_t instance = 0;
    std::vector<std::uint16_t> sources;
  };
  std::vector<Txn> txns;
  bool is_pending = false;
};

struct SearchCounts {
  std::uint64_t explored = 0;  ///< events added and swaps taken
  std::uint64_t blocked = 0;   ///< reads that nobody could answer
  std::uint64_t leaves = 0;    ///< executions that came to their end
};

/// Enumerates the histories of a program at a level, each exactly once.
///
/// Source.  Bouajjani, Enea, Roman-Calvo, "Dynamic Partial Order Reduction for
/// Checking Correctness against Transaction Isolation Levels", PLDI 2023,
/// Algorithms 1 and 2 and Section 5, with two departures; docs/algorithms/
/// explore.md has the programs that show them necessary:
///   - SWAPPED is dropped: as printed it loses histories, and readLatest alone
///     keeps every history unique;
///   - a failed assumption, a fault or a bound ends its session, not the
///     search: a later swap may take the offending read away again.
///
/// Method.  Transactions run one after the other, session by session.  A read
/// branches over the committed transactions it may read from.  When t commits,
/// each earlier read r of something t writes, unless its transaction precedes
/// t causally, is re-run to read from t: transactions before r and the causal
/// past of t are kept, the rest is dropped and run anew later.  So that this
/// happens once, every dropped read and r itself must read from the latest
/// (in <) transaction of their own causal past that they may read from.
///
/// Invariant.  Every ordered history on the stack has the level, at most one
/// pending transaction, and that one is last; so it can always be extended.
///
/// Cost.  Polynomial time between two histories (causal: a few microseconds
/// for ten transactions), memory polynomial in the size of the program.
///
/// Levels above causal are explored as causal; a judge filters the leaves.
template <std::size_t W>
class HistorySearch {
 public:
  using HistoryT = OrderedHistory<W>;
  using Event = Logged<W>;

  struct Options {
    Base level = Base::Causal;
    std::uint64_t loop_bound = 1000;
    bool is_naive = false;  ///< all orders of transactions, no swaps
    Bits<W> active;         ///< the transactions to run
  };
  /// Called at every leaf.  Returns false to end the search.
  using OnLeaf = std::function<bool(const HistorySearch&)>;

  HistorySearch(const exec::Script& script, const Options& options,
                const Budget& budget);

  /// Explores everything from `item` on.  False if the budget or the leaf
  /// function ended it.  `on_idle`, if given, is called now and then and may
  /// call give_away().
  bool run(const WorkItem& item, const OnLeaf& on_leaf,
           const std::function<void(HistorySearch&)>& on_idle = {});
  /// Makes the history of `item` the current one, without searching.
  void load(const WorkItem& item);
  /// Takes the largest part of the search that is still to do off the stack.
  /// Nothing if there is none.
  bool give_away(WorkItem& item);

  /// One random path to a leaf.  Returns the product of the numbers of
  /// branches along it: an unbiased estimate of the number of leaves (Knuth,
  /// Mathematics of Computation 1975).
  double random_walk(Random& random);

  [[nodiscard]] const SearchCounts& counts() const { return counts_; }
  [[nodiscard]] const exec::Script& script() const { return script_; }
  [[nodiscard]] exec::Runner& runner() const { return *runner_; }
  [[nodiscard]] Base level() const { return options_.level; }

  // The current leaf.
  [[nodiscard]] const HistoryT& history() const { return *frames_[depth_]; }
  [[nodiscard]] std::span<const Event> log(std::size_t instance) const {
    const auto& log = history().log[instance];
    return std::span(events_).subspan(log.begin, log.end - log.begin);
  }
  [[nodiscard]] const std::int64_t* slots(std::size_t instance) const {
    return slots_.data() + history().slots[instance];
  }
  /// Committed transactions that write the key, and init.
  [[nodiscard]] const Bits<W>& writers(KeyId key) const {
    return writers_[key.index];
  }
  /// The value of the last write of `key` by `instance`, or the initial one.
  [[nodiscard]] std::int64_t written(std::size_t instance, KeyId key) const;
  /// The leaf, written down.
  [[nodiscard]] WorkItem leaf_item() const;

 private:
  struct Choice {
    enum class Kind : std::uint8_t { Read, Swap, Next };
    Kind kind = Kind::Read;
    bool gave_extension = false;    // Swap
    std::uint32_t frame = 0;        // the history it belongs to
    std::uint16_t instance = 0;     // the pending or just committed one
    std::uint16_t order_size = 0;   // Read, Next: to go back to
    std::uint32_t event_count = 0;  // Read: of the instance; Swap: walk
    std::uint32_t walk = 0;         // Swap: position in `<`, plus 1
    std::uint32_t pc = 0;
    KeyId key;
    std::uint32_t events_top = 0;
    std::uint32_t slots_top = 0;
    std::uint32_t saved_slots = 0;   // in saved_slots_
    std::uint32_t saved_before = 0;  // in saved_before_
    Bits<W> remaining;
    Bits<W> past;
    Bits<W> sources;
    Bits<W> stopped;
  };

  HistoryT& top() { return *frames_[depth_]; }
  void reset();

  // Going forward.  Each returns false at a dead end or a leaf.
  bool extend();
  bool step();
  void begin(std::size_t instance);
  bool read();
  void answer(std::size_t source);
  [[nodiscard]] std::size_t latest(const Bits<W>& sources) const;
  void own_read(const Event& write);
  void log_event(EventKind kind, std::size_t source, std::int64_t value);
  void commit();
  void finish_commit();
  void branch_at_random();
  void end(Progress how);
  Bits<W> valid_sources();
  [[nodiscard]] const Event* own_write(KeyId key) const;
  typename ForcedOrder<W>::Reader pending_reader() const;
  void pick_next(const Bits<W>& runnable);

  // Going back.
  bool backtrack();
  void go_back_to(const Choice& choice);
  void push_read_choice(const Bits<W>& remaining);
  void pop_choice();
  void forget_writes(const HistoryT& history, std::size_t instance);
  void remember_writes(const HistoryT& history, std::size_t instance);

  // Swaps.
  bool take_next_swap(Choice& choice);
  bool enter_swap(std::size_t reader, std::uint32_t event, std::size_t writer);
  void leave_swap();
  bool reads_latest(std::size_t reader, const Event& read,
                    std::span<const Event> earlier, std::size_t writer);
  void close_kept(std::vector<Bits<W>>& before, const HistoryT& history,
                  std::span<const std::uint16_t> members, const Bits<W>& kept,
                  std::size_t reader, std::span<const Event> earlier) const;
  void close_one(std::vector<Bits<W>>& before, const HistoryT& history,
                 std::span<const std::uint16_t> members, const Bits<W>& kept,
                 std::size_t instance, std::span<const Event> events) const;
  void run_again(std::size_t instance, std::span<const Event> events);
  static Bits<W> sources_of(std::span<const Event> events);
  [[nodiscard]] std::span<const Event> log_in(const HistoryT& history,
                                              std::size_t instance) const {
    const auto& log = history.log[instance];
    return std::span(events_).subspan(log.begin, log.end - log.begin);
  }

  const exec::Script& script_;
  Options options_;
  const Budget& budget_;
  std::unique_ptr<exec::Runner> runner_;
  std::vector<Bits<W>> so_before_;     // by instance, init included
  std::vector<Bits<W>> session_rest_;  // by instance: later ones of its session
  ForcedOrder<W> forced_;
  SearchCounts counts_;

  std::vector<std::unique_ptr<HistoryT>> frames_;  // one per swap; reused
  std::size_t depth_ = 0;
  std::vector<Choice> choices_;
  std::vector<Event> events_;        // arena of logs
  std::vector<std::int64_t> slots_;  // arena of slots
  std::uint32_t slots_top_ = 0;
  std::vector<std::int64_t> saved_slots_;
  std::vector<Bits<W>> saved_before_;
  std::vector<Bits<W>> writers_;  // by key, of the top history
  std::vector<Bits<W>> scratch_;  // a `before` to try things on
  std::vector<std::uint16_t> scratch_order_;
  exec::Event event_;  // what the pending transaction stopped at
  struct Entered {     // what a swap took away, to be put back
    Bits<W> removed;
    Bits<W> kept;
    std::uint32_t events_top;
    std::uint32_t slots_top;
  };
  std::vector<Entered> entered_;
  Random* random_ = nullptr;  // in a random walk
  double weight_ = 1;
};

extern template class HistorySearch<1>;
extern template class HistorySearch<64>;

}  // namespace txscope::explore
