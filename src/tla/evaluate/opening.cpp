#include "tla/evaluate/evaluator_parts.h"

// Formulas that are taken apart once and evaluated in many states: their
// frames are kept, and what they hold is never remembered.
namespace txscope::tla {

bool Evaluator::open(Formula& f) {
  const Code& code = *f.code;
  const auto up = [&] {
    Frame* frame = f.frame;
    for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
    return frame;
  };
  switch (code.op) {
    case Op::Slot: {
      const Value v = up()->slots[code.index];
      if (v.tag() != Tag::Thunk) return false;
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      f = {thunk.code, thunk.frame};
      return true;
    }
    case Op::Call: {
      const Def& def = *code.def;
      if (def.native >= 0 || def.body == nullptr) return false;
      Frame* frame = new_frame(def.slots);
      frame->up = def.is_global() ? nullptr : up();
      for (std::uint32_t i = 0; i < def.params; ++i)
        frame->slots[i] = kept_argument(code.kid(i), f.frame);
      f = {def.body, frame};
      return true;
    }
    case Op::CallSlot: {
      const Value v = up()->slots[code.index];
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      if (closure.def->native >= 0 || closure.def->body == nullptr)
        return false;
      Frame* frame = new_frame(closure.def->slots);
      frame->up = closure.up;
      for (std::uint32_t i = 0; i < closure.def->params; ++i)
        frame->slots[i] = kept_argument(code.kid(i), f.frame);
      f = {closure.def->body, frame};
      return true;
    }
    case Op::CallInstance: {
      Frame* around = code.frames.front()->is_global() ? nullptr : up();
      std::uint32_t kid = 0;
      const auto enter = [&](const Def& def) {
        Frame* frame = new_frame(def.slots);
        frame->up = around;
        for (std::uint32_t i = 0; i < def.params; ++i)
          frame->slots[i] = kept_argument(code.kid(kid++), f.frame);
        around = frame;
      };
      for (const Def* def : code.frames) enter(*def);
      enter(*code.target);
      f = {code.target->body, around};
      return true;
    }
    case Op::Let: {
      Frame* frame = keep_frame(*f.frame, code.home->slots);
      for (const LetSlot& let : code.lets) {
        if (let.function != nullptr) return false;
        frame->slots[let.slot] = kept_thunk(*let.code, frame);
      }
      f = {code.kids[0], frame};
      return true;
    }
    default: return false;
  }
}

/// An argument in a frame that is kept: a value if it is constant, else it is
/// evaluated whenever it is asked for.
Value Evaluator::kept_argument(const Code& kid, Frame* frame) {
  if (kid.op == Op::Slot || kid.op == Op::Const)
    return argument(kid, frame, true);
  if (kid.op == Op::Operator) {
    kept_words_.push_back(std::make_unique<std::uint64_t[]>(2));
    auto* closure = reinterpret_cast<Closure*>(kept_words_.back().get());
    for (std::uint32_t i = kid.hops; i > 0; --i) frame = frame->up;
    closure->def = kid.def;
    closure->up = kid.def->is_global() ? nullptr : frame;
    return Value::of_pointer(closure, Tag::Closure);
  }
  if (kid.reads == 0 && !kid.is_primed && !kid.is_temporal && !kid.is_impure) {
    try {
      return sets_.settle(evaluate(kid, frame, nullptr));
    } catch (const Fault&) {  // it has to do with a state after all
    } catch (const ValueFault&) {
    }
  }
  return kept_thunk(kid, frame);
}

Value Evaluator::kept_thunk(const Code& code, Frame* frame) {
  kept_words_.push_back(std::make_unique<std::uint64_t[]>(Thunk::kWords));
  auto* thunk = reinterpret_cast<Thunk*>(kept_words_.back().get());
  thunk->code = &code;
  thunk->frame = frame;
  thunk->value = Value();
  thunk->now = nullptr;
  thunk->version = Thunk::kNeverKept;
  return Value::of_pointer(thunk, Tag::Thunk);
}

bool Evaluator::is_state_level(const Formula& f) {
  if (f.code->is_temporal || f.code->is_primed) return false;
  switch (f.code->op) {
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::Implies:
    case Op::Equiv:
    case Op::If:
      for (const Code* kid : f.code->all())
        if (!is_state_level({kid, f.frame})) return false;
      return true;
    case Op::Slot:
    case Op::CallSlot: {
      Formula inner = f;
      return !open(inner) || is_state_level(inner);
    }
    default: return true;
  }
}

}  // namespace txscope::tla
