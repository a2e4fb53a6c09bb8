#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "tla/behaviour.h"
#include "tla/fingerprint_set.h"
#include "tla/model.h"
#include "tla/symmetry.h"

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
};

/// The part of a level that one worker holds: states as rows of values of its
/// own Store.  Others take from it in chunks when they have nothing left.
struct Frontier {
  std::vector<Value> rows;
  std::size_t width = 1;
  std::atomic<std::size_t> taken = 0;

  [[nodiscard]] std::size_t size() const { return rows.size() / width; }
  void clear() {
    rows.clear();
    taken = 0;
  }
};

/// What the workers of a search have in common.
struct Shared {
  FingerprintSet seen;
  std::uint32_t level = 1;
  bool check_deadlock = true;
  const Budget* budget = nullptr;
  std::atomic<bool> stop = false;
  std::function<void()> progress;  ///< called by one worker, now and then
};

/// One thread's share of the search: its own compiled program, values and
/// memories.  Expands states, asks the common set which successors are new,
/// keeps those for the next level.
class Worker {
 public:
  Worker(const Module& root, const Config& config, Loader& loader,
         Shared& shared, bool use_natives, bool is_first);

  /// Puts the initial states into `next`.
  void start();
  /// Expands every state of `current` that nobody has taken, then helps
  /// `others`.
  void run_level(const std::vector<std::unique_ptr<Worker>>& others);
  /// Makes the next level the current one.
  void advance();

  /// The level of the state that this thread is looking at.
  [[nodiscard]] static std::uint32_t level_here(const Shared& shared);

  [[nodiscard]] Evaluator& evaluator() { return evaluator_; }
  [[nodiscard]] Behaviour& behaviour() { return behaviour_; }
  [[nodiscard]] Symmetry& symmetry() { return symmetry_; }
  [[nodiscard]] Program& program() { return program_; }
  /// The fingerprint of the state that is, or was last, expanded.
  [[nodiscard]] std::uint64_t parent() const { return parent_; }
  [[nodiscard]] std::uint64_t fingerprint(const Value* state);
  /// Whether the constraints allow a step, or an initial state.
  bool is_in_model(const Value* state, const Value* successor);
  /// Invariants in a state and what forbids the step to it, outside of the
  /// search; what is wrong goes to `finding`.
  void check_alone(const Value* before, const Value* state);

  Frontier current;
  Frontier next;
  std::atomic<std::uint64_t> generated = 0;
  std::optional<Finding> finding;  ///< the least of this level
  std::optional<Error> error;

 private:
  struct Candidate {
    std::uint64_t fingerprint;
    std::uint64_t parent;
    bool is_in_model;
  };
  struct Memory {
    WordMap map;
    std::uint64_t asked = 0;
    std::uint64_t known = 0;
    bool is_off = false;
  };
  class SuccessorSink;

  void expand(const Value* state);
  void expand_chunk(Worker& owner, std::size_t begin, std::size_t end,
                    std::size_t number);
  bool take_successor(const Value* state, const Value* successor);
  void flush();
  void check_state(const Value* state, std::uint64_t fingerprint,
                   std::uint64_t parent, bool is_stored);
  bool holds(const Check& check, std::size_t index, const Value* state);
  void check_step(const Value* state, const Value* successor,
                  std::uint64_t fingerprint);
  void note(Finding found);
  Value import(Value foreign, std::unordered_map<const void*, Value>& known);

  Shared& shared_;
  bool is_first_;
  Program program_;
  Evaluator evaluator_;
  Behaviour behaviour_;
  Symmetry symmetry_;
  std::vector<Memory> memories_;
  std::vector<std::size_t> step_properties_;
  std::vector<Value> batch_rows_;
  std::vector<Candidate> batch_;
  std::uint64_t parent_ = 0;
  std::vector<Value> copy_;
  std::vector<std::unordered_map<const void*, Value>> imported_;
};

}  // namespace txscope::tla
