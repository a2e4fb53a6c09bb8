#pragma once

#include "tla/evaluate/evaluator.h"

namespace txscope::tla {

/// An argument or a LET value, evaluated when it is first needed.  Kept on
/// the evaluator's own stack.  Its value is good in the state `now`; if it
/// came from a state that is being built, only for that `version` of it.
struct Evaluator::Thunk {
  const Code* code;
  Frame* frame;
  Value value;
  const Value* now;
  std::uint64_t version;  ///< kSettled: depends on no state being built
  static constexpr std::uint64_t kSettled = 0;
  static constexpr std::uint64_t kNeverKept = ~std::uint64_t{0};
  static constexpr std::size_t kWords = 5;
  /// Its value in a state, if it is known and depends on no other.
  [[nodiscard]] Value settled_in(const Value* state) const {
    return now == state && version == kSettled ? value : Value();
  }
};

/// What a slot stands for.
inline Value Evaluator::value_of(Value slot) {
  if (slot.tag() != Tag::Thunk) return slot;
  const auto& thunk = *static_cast<const Thunk*>(slot.pointer());
  const Value value = thunk.settled_in(now_);
  return value.is_none() ? force(slot) : value;
}

/// An operator as an argument, with the frame it was defined in.
struct Evaluator::Closure {
  const Def* def;
  Frame* up;
};

/// A function f[x \in S] == e in some frame: points that were asked for.
struct Evaluator::FunctionInstance {
  const Def* def = nullptr;
  Frame* up = nullptr;
  const Value* now = nullptr;
  Value whole;
  std::uint64_t epoch = 0;
  std::uint64_t version = 0;  ///< as in a Thunk
  std::vector<Value> domains;
  WordMap points{1};

  void forget() {
    whole = Value();
    version = 0;
    domains.clear();
    points.clear();
  }
};

/// Gives back what was pushed since.
struct Evaluator::Mark {
  explicit Mark(Evaluator& e) : evaluator(e), top(e.top_) {}
  ~Mark() { evaluator.top_ = top; }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  Evaluator& evaluator;
  std::size_t top;
};

/// Finds out whether what is evaluated in its lifetime depends on the next
/// state, or on one that is being built; whoever is evaluated around it then
/// does so, too.  So what a remembered value depends on is seen, not guessed.
struct Evaluator::Dependence {
  explicit Dependence(Evaluator& e) : evaluator(e), before(e.is_provisional_) {
    e.is_provisional_ = false;
  }
  ~Dependence() {
    evaluator.is_provisional_ = evaluator.is_provisional_ || before;
  }
  Dependence(const Dependence&) = delete;
  Dependence& operator=(const Dependence&) = delete;
  /// What to remember with a value that was just computed.
  [[nodiscard]] std::uint64_t version() const {
    return evaluator.is_provisional_ ? evaluator.version_ : Thunk::kSettled;
  }
  Evaluator& evaluator;
  bool before;
};

/// A state that is being built: initial, next, or one that ENABLED asks for.
/// They nest, as ENABLED may stand in an action.
struct Evaluator::Building {
  Building(Evaluator& e, StateSink& sink, bool is_initial, bool is_partial);
  ~Building();
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
  Evaluator& evaluator;
  Value* values;
  std::size_t open;
  std::uint64_t version;
  bool is_initial;
  bool is_partial;
  bool is_stopped;
  StateSink* sink;
  const Def* action;
  Frame* action_frame;
  bool action_is_set;
};

/// Restores which states are current and next.
struct Evaluator::StateScope {
  explicit StateScope(Evaluator& e)
      : evaluator(e),
        now(e.now_),
        next(e.next_),
        version(e.version_),
        draws(e.draws_) {}
  ~StateScope() {
    evaluator.now_ = now;
    evaluator.next_ = next;
    evaluator.version_ = version;
    evaluator.draws_ = draws;
  }
  StateScope(const StateScope&) = delete;
  StateScope& operator=(const StateScope&) = delete;
  Evaluator& evaluator;
  const Value* now;
  const Value* next;
  std::uint64_t version;
  std::uint64_t draws;
};

/// The definitions of a LET while its body is evaluated.
struct Evaluator::LetScope {
  LetScope(Evaluator& e, const Code& code, Frame* frame);
  ~LetScope();
  LetScope(const LetScope&) = delete;
  LetScope& operator=(const LetScope&) = delete;
  Evaluator& evaluator;
  const Code& code;
  Frame* frame;
};

/// What remains to be satisfied after the current part of an action, from
/// item `from` on: conjuncts of an And, elements of an UNCHANGED tuple, the
/// choices of a \A, or a formula as a whole; or all that in another state.
struct Evaluator::Continuation {
  enum class Kind : std::uint8_t {
    Conjuncts,
    Unchanged,
    Choices,
    Formula,
    State
  };
  Kind kind = Kind::Conjuncts;
  const Code* code = nullptr;
  std::size_t from = 0;
  Frame* frame = nullptr;
  Continuation* next = nullptr;
  const std::vector<Value>* choices = nullptr;
  const Value* now = nullptr;  ///< State: where the rest is evaluated
};

/// Runs something that evaluates: afterwards stack and states are as before,
/// and faults of values have the place where evaluation was.
template <class Run>
auto Evaluator::guarded(const Run& run) -> decltype(run()) {
  enter();
  if (!is_staying_) ++epoch_;
  const Mark mark(*this);
  const StateScope scope(*this);
  version_ = ++last_version_;
  draws_ = 0;
  try {
    return run();
  } catch (const ValueFault& f) {
    const Spot nowhere;
    fail(at_ == nullptr ? nowhere : at_->spot, f.what, f.hint);
  }
}

}  // namespace txscope::tla
