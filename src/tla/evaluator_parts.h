#pragma once

#include "tla/evaluator.h"

namespace txscope::tla {

/// An argument that is evaluated when it is first needed.  Kept on the
/// evaluator's own stack, four words.
struct Evaluator::Thunk {
  const Code* code;
  Frame* frame;
  Value value;
  const Value* now;
};

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
  std::uint32_t depth = 0;
  std::uint64_t epoch = 0;
  std::vector<Value> domains;
  WordMap points{1};

  void forget() {
    whole = Value();
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

/// Restores which states are current and next.
struct Evaluator::StateScope {
  explicit StateScope(Evaluator& e)
      : evaluator(e), now(e.now_), next(e.next_) {}
  ~StateScope() {
    evaluator.now_ = now;
    evaluator.next_ = next;
  }
  StateScope(const StateScope&) = delete;
  StateScope& operator=(const StateScope&) = delete;
  Evaluator& evaluator;
  const Value* now;
  const Value* next;
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
/// choices of a \A, or a formula as a whole.
struct Evaluator::Continuation {
  enum class Kind : std::uint8_t { Conjuncts, Unchanged, Choices, Formula };
  Kind kind = Kind::Conjuncts;
  const Code* code = nullptr;
  std::size_t from = 0;
  Frame* frame = nullptr;
  Continuation* next = nullptr;
  const std::vector<Value>* choices = nullptr;
};

/// Runs something that evaluates: afterwards stack and states are as before,
/// and faults of values have the place where evaluation was.
template <class Run>
auto Evaluator::guarded(const Run& run) -> decltype(run()) {
  enter();
  ++epoch_;
  const Mark mark(*this);
  const StateScope scope(*this);
  try {
    return run();
  } catch (const ValueFault& f) {
    const Spot nowhere;
    fail(at_ == nullptr ? nowhere : at_->spot, f.what, f.hint);
  }
}

}  // namespace txscope::tla
