#include "tla/evaluate/remembering.h"

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
  if (def.is_memoised) return Remembering::call(*this, code, frame, def);
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
