#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/work_pool.h"
#include "tla/liveness/behaviour.h"
#include "tla/liveness/graph_record.h"
#include "tla/model.h"
#include "tla/search/fingerprint_set.h"
#include "tla/search/router.h"
#include "tla/search/spill_file.h"
#include "tla/search/symmetry.h"
#include "tla/value/row_codec.h"

namespace txscope::tla {

/// A state or a step that something forbids.
struct Finding {
  ModelViolation kind = ModelViolation::None;
  std::string name;
  Spot spot;
  std::size_t rank = 0;           ///< of the property, in the configuration
  std::uint64_t fingerprint = 0;  ///< of the last state
  std::uint64_t parent = 0;       ///< of the state before it
  bool is_stored = true;          ///< whether the last state is in the set
  /// The last state is the one that was expanded, not one that was reached.
  bool is_expanded = false;
  std::string message = {};  ///< of an assertion
};

/// Which of the findings of a level is told: by property, then by fingerprint,
/// so that the answer does not depend on who was faster.
[[nodiscard]] bool comes_before(const Finding& a, const Finding& b);

/// An assertion that failed; where is to be said by whoever knows.
[[nodiscard]] Finding failed_assertion(const AssertionFault& fault);

/// States that wait to be expanded, as rows of values: of the owner's Store, or
/// put aside on disk.
struct Block {
  std::uint32_t owner = 0;  ///< number of a worker
  std::size_t count = 0;    ///< of states
  std::vector<Value> rows;
  std::optional<SpillFile::Piece> aside;  ///< instead of rows
};

/// What the workers of a search have in common.
struct Shared {
  FingerprintSet seen;
  std::uint32_t level = 1;
  bool check_deadlock = true;
  const Budget* budget = nullptr;
  std::atomic<bool> stop = false;
  /// Of values, for each worker; beyond it unused ones are freed.
  std::size_t value_bytes = 0;
  /// Of waiting states, for each worker; what is more is put aside.
  std::size_t queue_bytes = std::size_t{1} << 30u;
  std::string spill_directory;     ///< for these; empty: TMPDIR
  std::function<void()> progress;  ///< called by one worker, now and then
  Router* router = nullptr;        ///< of a search on several ranks
};

/// One thread's share of the search: its own compiled program, values and
/// memories.  Expands states, asks the common set which successors are new,
/// keeps those for the next level.
class Worker {
 public:
  Worker(const Module& root, const Config& config, Loader& loader,
         Shared& shared, bool use_natives, std::uint32_t number);

  /// Puts the initial states into the next level.
  void start();
  /// Expands states from the pool until there are none; its own first.
  void run_level(WorkPool<Block>& pool,
                 const std::vector<std::unique_ptr<Worker>>& all);
  /// What was found for the next level, which becomes the current one.
  [[nodiscard]] std::vector<Block> take_next();

  /// A new state that the invariants have not been asked about.
  struct Unchecked {
    std::uint64_t fingerprint = 0;
    std::uint64_t parent = 0;
    bool is_in_model = true;
  };
  /// Takes up a state of another rank that the set has not seen before.
  void accept(std::uint64_t fingerprint, std::uint64_t parent,
              const Value* row);
  /// Checks what has been taken up.  Throws Fault and Stopped.
  void check_new_states();
  /// What a level that was ended leaves behind: states to expand, and new ones
  /// to check, with a row for each.  See restore().
  struct Leftover {
    std::vector<Value> states;
    std::vector<Unchecked> unchecked;
    std::vector<Value> unchecked_rows;
  };
  [[nodiscard]] Leftover take_leftover();
  /// Takes up what another run left behind.
  void restore_unchecked(std::vector<Unchecked> unchecked,
                         std::vector<Value> rows);
  void restore_next(std::span<const Value> rows);
  void restore_generated(std::uint64_t count) {
    generated = flushed_generated_ = count;
  }
  [[nodiscard]] std::string read_aside(SpillFile::Piece piece,
                                       bool is_of_this_level = true) const {
    return files_[is_of_this_level ? 1 - writing_ : writing_].read(piece);
  }
  [[nodiscard]] const std::vector<Block>& next() const { return next_; }
  [[nodiscard]] std::size_t width() const { return width_; }

  /// The level of the state that this thread is looking at.
  [[nodiscard]] static std::uint32_t level_here(const Shared& shared);

  [[nodiscard]] Evaluator& evaluator() { return evaluator_; }
  [[nodiscard]] Behaviour& behaviour() { return behaviour_; }
  [[nodiscard]] Symmetry& symmetry() { return symmetry_; }
  [[nodiscard]] Program& program() { return program_; }
  /// The fingerprint of the state that is, or was last, expanded.
  [[nodiscard]] std::uint64_t parent() const { return parent_; }
  /// The fingerprint of its successor, or of the initial state, that is being
  /// checked; 0 if none is.
  [[nodiscard]] std::uint64_t checking() const { return checking_; }
  [[nodiscard]] std::uint64_t fingerprint(const Value* state);
  /// The same one level further: a VIEW may speak of the level.
  [[nodiscard]] std::uint64_t successor_fingerprint(const Value* state);
  /// For evaluations outside of the search.
  void set_level(std::uint32_t level) { shared_.level = level; }
  /// Whether the constraints allow a step, or an initial state.
  bool is_in_model(const Value* state, const Value* successor);
  /// Invariants in a state and what forbids the step to it, outside of the
  /// search; what is wrong goes to `finding`.
  void check_alone(const Value* before, const Value* state);

  struct ActionCount {
    std::uint64_t generated = 0;
    std::uint64_t distinct = 0;
  };
  /// Counts what becomes of each action and formula from now on.
  void start_counting();
  [[nodiscard]] const std::unordered_map<const Def*, ActionCount>&
  action_counts() const {
    return action_counts_;
  }
  /// True if the constraints left something out.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// Which of behaviour().possible it has seen.
  [[nodiscard]] const std::vector<bool>& happened() const { return happened_; }
  void restore_happened(const std::vector<bool>& happened) {
    for (std::size_t i = 0; i < happened.size() && i < happened_.size(); ++i)
      if (happened[i]) happened_[i] = true;
  }
  /// Frees the values that no waiting state is made of, if that is worth it.
  /// Only between levels; `level` are all states that wait.  True if some were
  /// freed: then others must forget where they have seen them.
  bool collect_garbage(std::span<const Block> level);
  void forget_imports();

  /// Keeps the graph from now on, and all values.
  void start_recording() { record_ = std::make_unique<GraphRecord>(); }
  [[nodiscard]] const GraphRecord* record() const { return record_.get(); }
  [[nodiscard]] GraphRecord* record() { return record_.get(); }
  /// The same values in this worker's Store, from that of another.
  [[nodiscard]] std::vector<Value> imported(std::span<const Value> foreign);

  std::atomic<std::uint64_t> generated = 0;
  std::atomic<std::uint64_t> expanded = 0;  ///< states of this level
  std::optional<Finding> finding;           ///< the least of this level
  std::optional<Error> error;
  std::string trouble;  ///< why it cannot go on: a full disk

 private:
  struct Memory {
    WordMap map;
    std::uint64_t asked = 0;
    std::uint64_t known = 0;
    std::uint64_t work = 0;  // of the others, in ticks of the evaluator
    bool is_off = false;
  };
  class SuccessorSink;

  void take_initial(const Value* state, std::uint64_t fingerprint);
  void expand(const Value* state);
  void expand_block(const Block& block,
                    const std::vector<std::unique_ptr<Worker>>& all);
  std::vector<Value> rows_of(const Block& block,
                             const std::vector<std::unique_ptr<Worker>>& all);
  void keep(const Value* state);
  void keep(const Value* state, std::uint64_t fingerprint, std::uint32_t level);
  void put_aside(Block& block);
  void undo_unflushed();
  bool take_successor(const Value* state, const Value* successor);
  void flush();
  void watch(const Value* state, const Value* next);
  void check_state(const Value* state, std::uint64_t fingerprint,
                   std::uint64_t parent, bool is_stored);
  bool holds(const Check& check, std::size_t index, const Value* state);
  using Key = std::array<std::uint64_t, Check::kMostReads>;
  [[nodiscard]] static Key key_of(const Check& check, const Value* state);
  void fetch_known(const Value* state) const;
  void check_step(const Value* state, const Value* successor,
                  std::uint64_t fingerprint);
  void note(Finding found);
  void check_new_state(const Value* state, const Unchecked& about);
  Value import(Value foreign, std::unordered_map<const void*, Value>& known);

  Shared& shared_;
  std::uint32_t number_;
  Program program_;
  Evaluator evaluator_;
  Behaviour behaviour_;
  Symmetry symmetry_;
  std::vector<Memory> memories_;
  std::vector<std::size_t> step_properties_;
  std::size_t width_;
  std::vector<Block> next_;
  std::size_t next_bytes_ = 0;  // of those that are not aside
  SpillFile files_[2];          // of this level and of the next
  std::size_t writing_ = 0;
  // Successors that the set has not been asked about, and where they come
  // from: what is undone if the search is ended.
  std::vector<Value> batch_rows_;
  std::vector<Candidate> batch_;
  std::vector<Value> expanded_rows_;
  std::uint64_t flushed_generated_ = 0;
  std::vector<Unchecked> unchecked_;
  std::vector<Value> unchecked_rows_;
  std::size_t checked_ = 0;
  std::vector<Value> left_;
  std::uint64_t parent_ = 0;
  std::uint64_t checking_ = 0;
  std::vector<std::unordered_map<const void*, Value>> imported_;
  std::unordered_map<const Def*, ActionCount> action_counts_;
  std::vector<bool> happened_;     // by number in behaviour_.possible
  std::vector<bool> is_of_steps_;  // the same
  bool is_counting_ = false;
  bool is_cut_ = false;
  std::size_t live_after_sweep_ = 0;
  std::unique_ptr<GraphRecord> record_;
};

}  // namespace txscope::tla
