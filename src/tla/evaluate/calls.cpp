#include "tla/evaluate/evaluator_parts.h"
#include "tla/evaluate/native.h"

namespace txscope::tla {

/// The body of a definition without parameters; what is constant is evaluated
/// once.
Value Evaluator::body(const Def& def, Frame* up) {
  if (!def.known.is_none()) return def.known;
  if (def.is_drawn_once()) {  // by every worker alike: in no state
    const StateScope scope(*this);
    const Mark mark(*this);
    now_ = next_ = nullptr;
    draws_ = 0;
    Frame inner{push(def.slots), nullptr};
    return def.known = sets_.settle(eval(*def.body, &inner));
  }
  // One that reads the state and iterates is evaluated once for each state.
  const bool is_kept = def.is_heavy && def.is_global() && !def.is_primed &&
                       !def.is_impure && !is_unsettled(now_);
  if (is_kept && def.known_epoch == epoch_ && def.known_state == now_)
    return def.known_now;
  const Mark mark(*this);
  const Dependence dependence(*this);
  Frame inner{push(def.slots), up};
  const std::uint64_t epoch = epoch_;
  const Value result = eval(*def.body, &inner);
  if (def.is_global() && def.params == 0 && def.is_constant())
    def.known = result;
  if (is_kept && dependence.version() == Thunk::kSettled) {
    def.known_now = result;
    def.known_state = now_;
    def.known_epoch = epoch;
  }
  return result;
}

Value Evaluator::call(const Code& code, Frame* frame) {
  const Def& def = *code.def;
  if (!def.known.is_none()) return def.known;
  check_depth(code);
  if (def.is_memoised) return call_memoised(code, frame, def);
  const Mark mark(*this);
  Frame* up = nullptr;
  if (!def.is_global()) {
    up = frame;
    for (std::uint32_t i = code.hops; i > 0; --i) up = up->up;
  }
  if (def.params == 0) return body(def, up);
  Frame inner{push(def.slots), up};
  fill_arguments(def, code.all(), frame, inner.slots);
  return eval(*def.body, &inner);
}

/// A definition that reads nothing but its parameters, by their values.  The
/// arguments are evaluated first; where that fails, one that is never needed
/// may be to blame, and the call is made without looking.
Value Evaluator::call_memoised(const Code& code, Frame* frame, const Def& def) {
  const Mark mark(*this);
  Frame inner{push(def.slots), nullptr};
  CallMemo& memo = memo_of(def);
  std::uint64_t key[8];
  if (memo.is_lazy || !fill_values(def, code.all(), frame, inner.slots, key)) {
    // Finding that out is slow: where it is frequent it is not tried.
    constexpr std::uint64_t kOften = 100;
    ++memo.failed;
    if (memo.failed > kOften && memo.failed * 10 > memo.values.asked() &&
        def.native < 0)
      memo.is_lazy = true;
    fill_arguments(def, code.all(), frame, inner.slots);
    return eval(*def.body, &inner);
  }
  if (recorder_ != nullptr) recorder_->call(def, {inner.slots, def.params});
  if (memo.values.is_off()) return eval(*def.body, &inner);
  const Value known = memo.values.find(key);
  if (!known.is_none()) return known;
  Value result;
  const std::uint32_t before = sets_.ticks();
  if (def.native >= 0) {
    static const Budget kUnlimited = Budget::unlimited();
    const Budget& budget = budget_ != nullptr ? *budget_ : kUnlimited;
    const auto answer =
        evaluate_native(def.native, {inner.slots, def.params}, budget);
    if (budget.reason() != Spent::Nothing) throw Stopped{};
    if (answer) result = Value::of_bool(*answer);
  }
  if (result.is_none()) result = eval(*def.body, &inner);
  memo.values.note(key, result, sets_.ticks() - before);
  return result;
}

Evaluator::CallMemo& Evaluator::memo_of(const Def& def) {
  if (memos_.size() <= def.id) memos_.resize(def.id + 1);
  auto& memo = memos_[def.id];
  if (!memo) memo = std::make_unique<CallMemo>(def.params, def.native >= 0);
  return *memo;
}

/// The values of the arguments, and words that tell them from others.  False
/// if one has no value.
bool Evaluator::fill_values(const Def& def, std::span<const Code* const> kids,
                            Frame* frame, Value* slots, std::uint64_t* key) {
  for (std::size_t i = 0; i < kids.size(); ++i) {
    Value v = argument(*kids[i], frame, false);
    if (v.tag() == Tag::Closure) {
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      if (closure.up != nullptr || !closure.def->is_constant()) return false;
      key[i] = reinterpret_cast<std::uint64_t>(closure.def) | 6u;
      slots[i] = v;
      continue;
    }
    if (v.tag() == Tag::Thunk) {
      try {
        v = force(v);
        if (def.native >= 0) v = sets_.settle(v);
      } catch (const Fault&) {
        return false;
      } catch (const ValueFault&) {
        return false;
      }
    }
    key[i] = v.bits();
    slots[i] = v;
  }
  return true;
}

/// The values of the slots that code depends on; false if one has none yet.
bool Evaluator::values_of_needs(const Code& code, const Frame* frame,
                                std::uint64_t* key) const {
  for (const OuterSlot& need : code.needs) {
    const Frame* home = frame;
    for (std::uint32_t i = need.hops; i > 0; --i) home = home->up;
    const Value v = home->slots[need.index];
    *key = v.bits();
    if (v.tag() == Tag::Closure) return false;
    if (v.tag() == Tag::Thunk) {
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      const Value value =
          thunk.code->is_closed ? thunk.code->known : thunk.settled_in(now_);
      if (value.is_none()) return false;
      *key = value.bits();
    }
    ++key;
  }
  return true;
}

/// Code that nothing but a few slots can change, by their values.
Value Evaluator::remembered(const Code& code, Frame* frame, Code::Run run) {
  std::uint64_t key[Code::kMostNeeds];
  if (recorder_ != nullptr || is_counting_ ||
      !values_of_needs(code, frame, key))
    return run(*this, code, frame);
  if (remembered_.size() <= code.memo) remembered_.resize(code.memo + 1);
  auto& place = remembered_[code.memo];
  if (!place) place = std::make_unique<Memo>(code.needs.size(), false);
  Memo& memo = *place;
  if (memo.is_off()) {
    code.run = run;
    return run(*this, code, frame);
  }
  const Value known = memo.find(key);
  if (!known.is_none()) return known;
  const std::uint32_t before = sets_.ticks();
  const Value result = run(*this, code, frame);
  memo.note(key, result, sets_.ticks() - before);
  return result;
}

/// The frames of A and B in A(x)!B(y)!Op, on the evaluator's stack.
Frame* Evaluator::enter_instances(const Code& code, Frame* frame) {
  constexpr std::size_t kWords = sizeof(Frame) / sizeof(Value);
  Frame* up = nullptr;
  if (!code.frames.front()->is_global()) {
    up = frame;
    for (std::uint32_t i = code.hops; i > 0; --i) up = up->up;
  }
  std::size_t from = 0;
  for (const Def* def : code.frames) {
    Frame* made = new (push(kWords)) Frame{push(def->slots), up};
    for (std::uint32_t i = 0; i < def->params; ++i)
      made->slots[i] = argument(code.kid(from++), frame, code.target->lifts);
    up = made;
  }
  return up;
}

Value Evaluator::call_closure(const Closure& closure,
                              std::span<const Value> args) {
  const Mark mark(*this);
  Frame inner{push(closure.def->slots), closure.up};
  std::copy(args.begin(), args.end(), inner.slots);
  return eval(*closure.def->body, &inner);
}

Evaluator::LetScope::LetScope(Evaluator& e, const Code& c, Frame* f)
    : evaluator(e), code(c), frame(f) {
  for (const LetSlot& let : code.lets) {
    if (let.function != nullptr) {
      if (e.free_functions_.empty()) {
        e.functions_.push_back(std::make_unique<FunctionInstance>());
        e.free_functions_.push_back(e.functions_.back().get());
      }
      FunctionInstance* function = e.free_functions_.back();
      e.free_functions_.pop_back();
      function->def = let.function;
      function->up = frame;
      function->now = e.now_;
      function->epoch = e.epoch_;
      frame->slots[let.slot] = Value::of_pointer(function, Tag::Closure);
      continue;
    }
    auto* thunk = reinterpret_cast<Thunk*>(e.push(Thunk::kWords));
    thunk->code = let.code;
    thunk->frame = frame;
    thunk->value = Value();
    thunk->now = e.now_;
    thunk->version = Thunk::kSettled;
    frame->slots[let.slot] = Value::of_pointer(thunk, Tag::Thunk);
  }
}

Evaluator::LetScope::~LetScope() {
  for (const LetSlot& let : code.lets) {
    if (let.function == nullptr) continue;
    const Value v = frame->slots[let.slot];
    auto* f = static_cast<FunctionInstance*>(const_cast<void*>(v.pointer()));
    f->forget();
    evaluator.free_functions_.push_back(f);
  }
}

Value Evaluator::let(const Code& code, Frame* frame) {
  const Mark mark(*this);
  const LetScope scope(*this, code, frame);
  return eval(code.kid(0), frame);
}

}  // namespace txscope::tla
