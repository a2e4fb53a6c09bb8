#include <pthread.h>

#include "tla/evaluate/defined_functions.h"
#include "tla/evaluate/enumeration.h"
#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {
namespace {

constexpr std::size_t kStackWords = std::size_t{1} << 21u;
constexpr std::size_t kDeepestBuilding = 16;

/// How far the stack of this thread may grow down: a quarter is left for
/// what does not look.
const char* end_of_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(low) + size / 4;
}

}  // namespace

Evaluator::Evaluator(Program& program)
    : program_(program),
      store_(program.store()),
      sets_(store_),
      stack_(std::make_unique_for_overwrite<std::uint64_t[]>(kStackWords)),
      width_(program.variables().size() + program.stand_ins() + 1) {
  arena_ = std::make_unique<Value[]>(width_ * kDeepestBuilding);
  arena_end_ = arena_.get() + width_ * kDeepestBuilding;
}

Evaluator::~Evaluator() = default;

Value* Evaluator::push(std::size_t words) {
  if (top_ + words > kStackWords)
    throw ValueFault{"the evaluation is nested too deeply", {}};
  Value* result = reinterpret_cast<Value*>(&stack_[top_]);
  top_ += words;
  return result;
}

void Evaluator::fault(const Code& code, std::string what, std::string hint) {
  fail(code.spot, std::move(what), std::move(hint));
}

/// Recursion of the specification is recursion here; its end is where this
/// thread's stack would end.
void Evaluator::check_depth(const Code& code) {
  tick();
  const char here = 0;
  if (&here < deepest_)
    fault(code, "the evaluation is nested too deeply",
          "is this recursion without an end?");
}

void Evaluator::enter() {
  const auto self = static_cast<std::uint64_t>(pthread_self());
  if (thread_ == self) return;
  thread_ = self;
  deepest_ = end_of_stack();
}

Value Evaluator::evaluate(const Def& def, const Value* now, const Value* next) {
  return guarded([&] {
    now_ = now;
    next_ = next;
    return body(def, nullptr);
  });
}

Value Evaluator::evaluate(const Code& code, Frame* frame, const Value* now,
                          const Value* next) {
  return guarded([&] {
    now_ = now;
    next_ = next;
    return eval(code, frame);
  });
}

bool Evaluator::holds(const Def& def, const Value* now, const Value* next) {
  const Value v = evaluate(def, now, next);
  if (!v.is_bool())
    fail(def.spot, def.name + " is " + kind_of(v) + ", not TRUE or FALSE");
  return v.as_bool();
}

bool Evaluator::holds(const Code& code, Frame* frame, const Value* now,
                      const Value* next) {
  if (is_counting_) ++code.visits;
  const Value v = evaluate(code, frame, now, next);
  if (!v.is_bool())
    fail(code.spot, "this is " + kind_of(v) + ", not TRUE or FALSE");
  return v.as_bool();
}

Frame* Evaluator::new_frame(std::uint32_t slots) {
  kept_slots_.push_back({std::make_unique<Value[]>(slots + 1), slots + 1});
  kept_frames_.push_back(std::make_unique<Frame>());
  kept_frames_.back()->slots = kept_slots_.back().slots.get();
  return kept_frames_.back().get();
}

Frame* Evaluator::keep_frame(const Frame& like, std::uint32_t slots) {
  Frame* frame = new_frame(slots);
  std::copy(like.slots, like.slots + slots, frame->slots);
  frame->up = like.up;
  return frame;
}

void Evaluator::mark_values() {
  for (auto& memo : memos_)
    if (memo) memo->values.forget();
  for (auto& memo : remembered_)
    if (memo) memo->forget();
  for (auto& function : functions_) function->forget();
  sets_.forget();
  members_.forget();
  places_.forget();
  program_.mark_values();
  for (const KeptSlots& kept : kept_slots_)
    for (std::size_t i = 0; i < kept.count; ++i) Store::mark(kept.slots[i]);
  for (const auto& [key, value] : registers_) {
    Store::mark(Value::of_bits(key));
    Store::mark(value);
  }
}

const Node& Evaluator::elements_of(const Code& code, Frame* frame) {
  return guarded([&]() -> const Node& {
    at_ = &code;
    return sets_.elements(eval(code, frame));
  });
}

bool Evaluator::not_boolean(const Code& code, Value v) {
  fault(code, "expected TRUE or FALSE, found " + brief(v));
}

Value Evaluator::no_state(const Code& code) {
  fault(code, code.op == Op::Primed ? "there is no next state here"
                                    : "a variable has no value here");
}

Value Evaluator::no_value(const Code& code) {
  fault(code, program_.variables()[code.index] +
                  (code.op == Op::Primed ? "'" : "") +
                  " is read before it has a value");
}

Value Evaluator::force(Value v) {
  auto& thunk = *static_cast<Thunk*>(const_cast<void*>(v.pointer()));
  const bool same_state =
      thunk.now == now_ && thunk.version != Thunk::kNeverKept;
  if (same_state && !thunk.value.is_none()) {
    if (thunk.version == Thunk::kSettled) return thunk.value;
    if (thunk.version == version_) {
      is_provisional_ = true;
      return thunk.value;
    }
  }
  check_depth(*thunk.code);
  const Mark mark(*this);
  const Dependence dependence(*this);
  const Value result = eval(*thunk.code, thunk.frame);
  if (same_state) {
    thunk.value = result;
    thunk.version = dependence.version();
  }
  return result;
}

Value Evaluator::argument(const Code& kid, Frame* frame, bool keeps_variables) {
  switch (kid.op) {
    case Op::Const: return kid.value;
    case Op::Slot: {
      Frame* f = frame;
      for (std::uint32_t i = kid.hops; i > 0; --i) f = f->up;
      return f->slots[kid.index];
    }
    case Op::Variable:
      if (!keeps_variables && now_ != nullptr && !now_[kid.index].is_none()) {
        is_provisional_ = is_provisional_ || is_unsettled(now_);
        return now_[kid.index];
      }
      break;
    case Op::Operator: {
      auto* closure = reinterpret_cast<Closure*>(push(2));
      Frame* up = frame;
      for (std::uint32_t i = kid.hops; i > 0; --i) up = up->up;
      closure->def = kid.def;
      closure->up = kid.def->is_global() ? nullptr : up;
      return Value::of_pointer(closure, Tag::Closure);
    }
    default: break;
  }
  auto* thunk = reinterpret_cast<Thunk*>(push(Thunk::kWords));
  thunk->code = &kid;
  thunk->frame = frame;
  thunk->value = Value();
  thunk->now = now_;
  thunk->version = Thunk::kSettled;
  return Value::of_pointer(thunk, Tag::Thunk);
}

void Evaluator::fill_arguments(const Def& def,
                               std::span<const Code* const> kids, Frame* frame,
                               Value* slots) {
  for (std::size_t i = 0; i < kids.size(); ++i)
    slots[i] = argument(*kids[i], frame, def.lifts);
}

Value Evaluator::case_of(const Code& code, Frame* frame) {
  std::uint32_t i = 0;
  for (; i + 1 < code.count; i += 2)
    if (truth(code.kid(i), frame)) return eval(code.kid(i + 1), frame);
  if (i < code.count) return eval(code.kid(i), frame);
  fault(code, "no case of CASE applies", "add [] OTHER -> ...");
}

Value Evaluator::primed(const Code& code, Frame* frame) {
  if (next_ == nullptr || now_ == next_)
    fault(code, "a prime inside a prime, or where there is no next state");
  is_provisional_ = true;
  if (next_ == building_) {
    const std::int64_t i = Enumeration::stand_in(*this, code.kid(0));
    if (i >= 0 && !building_[i].is_none()) return building_[i];
  }
  const StateScope scope(*this);
  now_ = next_;
  return eval(code.kid(0), frame);
}

bool Evaluator::unchanged(const Code& code, Frame* frame) {
  const Value before = sets_.settle(eval(code, frame));
  if (next_ == nullptr) fault(code, "there is no next state here");
  is_provisional_ = true;
  const StateScope scope(*this);
  now_ = next_;
  return before == sets_.settle(eval(code, frame));
}

/// What has no function of its own in shapes.cpp.
Value Evaluator::compute(const Code& code, Frame* frame) {
  switch (code.op) {
    case Op::CallSlot: {
      check_depth(code);
      Frame* f = frame;
      for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
      const Value v = f->slots[code.index];
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      const Mark mark(*this);
      Frame inner{push(closure.def->slots), closure.up};
      fill_arguments(*closure.def, code.all(), frame, inner.slots);
      return eval(*closure.def->body, &inner);
    }
    case Op::CallInstance: {
      check_depth(code);
      const Mark mark(*this);
      Frame inner{push(code.target->slots), enter_instances(code, frame)};
      fill_arguments(*code.target, code.all().last(code.target->params), frame,
                     inner.slots);
      return eval(*code.target->body, &inner);
    }
    case Op::FunctionDef: return DefinedFunctions::value(*this, code, frame);
    case Op::ApplyFunctionDef:
      return DefinedFunctions::apply(*this, code, frame);
    case Op::Equiv:
      return Value::of_bool(truth(code.kid(0), frame) ==
                            truth(code.kid(1), frame));
    case Op::Prime: return primed(code, frame);
    case Op::Unchanged: return Value::of_bool(unchanged(code.kid(0), frame));
    case Op::Enabled:
      return Value::of_bool(Enumeration::enabled(*this, code.kid(0), frame));
    case Op::BoxAct:
      return Value::of_bool(truth(code.kid(0), frame) ||
                            unchanged(code.kid(1), frame));
    case Op::Compose:
      return Value::of_bool(Enumeration::composed(*this, code, frame));
    case Op::Always:
    case Op::Eventually:
    case Op::LeadsTo:
    case Op::WeakFair:
    case Op::StrongFair:
      fault(code, "a temporal formula cannot be evaluated in a state",
            "name it under PROPERTY or in the SPECIFICATION");
    case Op::Operator: fault(code, "an operator is no value");
    case Op::Refuse: fault(code, code.text);
    default: return operate(code, frame);
  }
}

}  // namespace txscope::tla
