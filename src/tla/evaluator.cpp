#include <pthread.h>

#include "tla/evaluator_parts.h"
#include "tla/native.h"

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

void Evaluator::look_at_budget() {
  if (budget_ != nullptr && budget_->spent_now()) throw Stopped{};
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
  const Value v = evaluate(code, frame, now, next);
  if (!v.is_bool())
    fail(code.spot, "this is " + kind_of(v) + ", not TRUE or FALSE");
  return v.as_bool();
}

Frame* Evaluator::new_frame(std::uint32_t slots) {
  kept_slots_.push_back(std::make_unique<Value[]>(slots + 1));
  kept_frames_.push_back(std::make_unique<Frame>());
  kept_frames_.back()->slots = kept_slots_.back().get();
  return kept_frames_.back().get();
}

Frame* Evaluator::keep_frame(const Frame& like, std::uint32_t slots) {
  Frame* frame = new_frame(slots);
  std::copy(like.slots, like.slots + slots, frame->slots);
  frame->up = like.up;
  return frame;
}

const Node& Evaluator::elements_of(const Code& code, Frame* frame) {
  return guarded([&]() -> const Node& {
    at_ = &code;
    return sets_.elements(eval(code, frame));
  });
}

bool Evaluator::truth(const Code& code, Frame* frame) {
  const Value v = eval(code, frame);
  if (!v.is_bool()) fault(code, "expected TRUE or FALSE, found " + brief(v));
  return v.as_bool();
}

Value Evaluator::read_slot(const Code& code, Frame* frame) {
  for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
  const Value v = frame->slots[code.index];
  return v.tag() == Tag::Thunk ? force(v) : v;
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

/// The body of a definition without parameters; what is constant is evaluated
/// once.
Value Evaluator::body(const Def& def, Frame* up) {
  if (!def.known.is_none()) return def.known;
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
  std::uint64_t key[8];
  bool has_key = true;
  for (std::uint32_t i = 0; i < def.params && has_key; ++i) {
    Value v = argument(code.kid(i), frame, false);
    if (v.tag() == Tag::Closure) {
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      has_key = closure.up == nullptr && closure.def->is_constant();
      key[i] = reinterpret_cast<std::uint64_t>(closure.def) | 6u;
    } else {
      if (v.tag() == Tag::Thunk) {
        try {
          v = force(v);
          if (def.native >= 0) v = sets_.settle(v);
        } catch (const Fault&) {
          has_key = false;
        } catch (const ValueFault&) {
          has_key = false;
        }
      }
      key[i] = v.bits();
    }
    inner.slots[i] = v;
  }
  if (!has_key) {
    fill_arguments(def, code.all(), frame, inner.slots);
    return eval(*def.body, &inner);
  }
  if (recorder_ != nullptr) recorder_->call(def, {inner.slots, def.params});
  if (memos_.size() <= def.id) memos_.resize(def.id + 1);
  if (!memos_[def.id]) memos_[def.id] = std::make_unique<Memo>(def.params);
  Memo& memo = *memos_[def.id];
  if (memo.is_off) return eval(*def.body, &inner);
  ++memo.asked;
  const Value known = memo.map.find(key);
  if (!known.is_none()) {
    ++memo.known;
    return known;
  }
  Value result;
  if (def.native >= 0) {
    const auto answer = evaluate_native(def.native, {inner.slots, def.params});
    if (answer) result = Value::of_bool(*answer);
  }
  if (result.is_none()) result = eval(*def.body, &inner);
  // Arguments that hardly ever repeat are not worth the memory.
  constexpr std::uint64_t kTrial = 50'000;
  if (memo.asked % kTrial == 0 && memo.known * 10 < memo.asked &&
      def.native < 0) {
    memo.is_off = true;
    memo.map.clear();
  } else {
    memo.map.insert(key, result);
  }
  return result;
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

Value Evaluator::case_of(const Code& code, Frame* frame) {
  std::uint32_t i = 0;
  for (; i + 1 < code.count; i += 2)
    if (truth(code.kid(i), frame)) return eval(code.kid(i + 1), frame);
  if (i < code.count) return eval(code.kid(i), frame);
  fault(code, "no case of CASE applies", "add [] OTHER -> ...");
}

Evaluator::FunctionInstance& Evaluator::function_instance(const Code& code,
                                                          Frame* frame) {
  const Def& def = *code.def;
  if (!def.is_global()) {
    for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
    const Value v = frame->slots[code.index];
    return *static_cast<FunctionInstance*>(const_cast<void*>(v.pointer()));
  }
  FunctionInstance*& f = function_of_[&def];
  if (f == nullptr) {
    functions_.push_back(std::make_unique<FunctionInstance>());
    f = functions_.back().get();
    f->def = &def;
  }
  return *f;
}

/// f[x \in S] == e as a value: every point of its domain.
Value Evaluator::function_value(const Code& code, Frame* frame) {
  const Def& def = *code.def;
  check_depth(code);
  FunctionInstance& f = function_instance(code, frame);
  make_current(f, def);
  if (!f.whole.is_none()) return f.whole;
  const Mark mark(*this);
  const Dependence dependence(*this);
  Frame inner{push(def.slots), f.up};
  const Value whole = eval(*def.body, &inner);
  if (may_remember(f, dependence)) f.whole = whole;
  if (def.is_global() && def.is_constant()) def.known = whole;
  return whole;
}

/// Makes a function forget what does not fit the state at hand.  A local one
/// lives no longer than its state does.
void Evaluator::make_current(FunctionInstance& f, const Def& def) {
  if (def.is_global() && def.is_constant()) {
    f.now = now_;
    return;
  }
  const bool same_state =
      f.now == now_ && (!def.is_global() || f.epoch == epoch_);
  if (!same_state || (f.version != Thunk::kSettled && f.version != version_)) {
    f.forget();
    f.now = now_;
    f.epoch = epoch_;
  }
  if (f.version != Thunk::kSettled) is_provisional_ = true;
}

/// Whether a value just computed belongs to what the function remembers: in
/// the meantime it may have been asked in another state, under a prime.
bool Evaluator::may_remember(FunctionInstance& f,
                             const Dependence& dependence) {
  const std::uint64_t version = dependence.version();
  if (f.now != now_) return false;
  if (version == Thunk::kSettled) return true;
  if (f.version == Thunk::kSettled) f.version = version;
  return f.version == version;
}

Value Evaluator::apply_function(const Code& code, Frame* frame) {
  const Def& def = *code.def;
  check_depth(code);
  const Value arg = settled(code.kid(0), frame);
  if (!def.known.is_none()) return apply(def.known, arg, code);
  FunctionInstance& f = function_instance(code, frame);
  make_current(f, def);
  if (!f.whole.is_none()) return apply(f.whole, arg, code);
  return apply_instance(f, arg, code.spot);
}

Value Evaluator::apply_instance(FunctionInstance& f, Value arg,
                                const Spot& spot) {
  const std::uint64_t key = arg.bits();
  if (const Value known = f.points.find(&key); !known.is_none()) return known;
  const Def& def = *f.def;
  const Mark mark(*this);
  const Dependence dependence(*this);
  Frame inner{push(def.slots), f.up};
  bind_point(f, arg, &inner, spot);
  const Value result = sets_.settle(eval(def.body->kid(0), &inner));
  if (may_remember(f, dependence)) f.points.insert(&key, result);
  return result;
}

/// Gives the variables of a function's definition the parts of an argument.
void Evaluator::bind_point(FunctionInstance& f, Value arg, Frame* inner,
                           const Spot& spot) {
  const Def& def = *f.def;
  const Code& constructor = *def.body;
  const std::size_t count = constructor.binders.size();
  if (f.domains.empty()) {
    const Dependence dependence(*this);
    for (const Binder& binder : constructor.binders)
      f.domains.push_back(eval(*binder.set, inner));
    (void)may_remember(f, dependence);
  }
  const Node* tuple = nullptr;
  if (count > 1) {
    tuple = arg.is_node() ? arg.as_node() : nullptr;
    if (tuple == nullptr || tuple->kind != NodeKind::Sequence ||
        tuple->size != count)
      fail(spot, def.name + " takes " + std::to_string(count) +
                     " arguments, found " + brief(arg));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value part = tuple == nullptr ? arg : tuple->items[i];
    at_ = &constructor;
    if (!sets_.contains(f.domains[i], part))
      fail(spot, brief(part) + " is not in the domain of " + def.name);
    assign(constructor.binders[i], part, inner, spot);
  }
}

Value Evaluator::primed(const Code& code, Frame* frame) {
  if (next_ == nullptr || now_ == next_)
    fault(code, "a prime inside a prime, or where there is no next state");
  is_provisional_ = true;
  if (next_ == building_) {
    const std::int64_t i = stand_in(code.kid(0));
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

Value Evaluator::eval(const Code& code, Frame* frame) {
  switch (code.op) {
    case Op::Const: return code.value;
    case Op::Variable: {
      if (now_ == nullptr) fault(code, "a variable has no value here");
      if (is_unsettled(now_)) is_provisional_ = true;
      const Value v = now_[code.index];
      if (v.is_none())
        fault(code, program_.variables()[code.index] +
                        " is read before it has a value");
      return v;
    }
    case Op::Primed: {
      if (next_ == nullptr) fault(code, "there is no next state here");
      is_provisional_ = true;
      const Value v = next_[code.index];
      if (v.is_none())
        fault(code, program_.variables()[code.index] +
                        "' is read before it has a value");
      return v;
    }
    case Op::Slot: return read_slot(code, frame);
    case Op::Call: return call(code, frame);
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
      Frame* up = frame;
      for (std::uint32_t i = code.hops; i > 0; --i) up = up->up;
      const std::uint32_t n = code.def->params;
      Frame outer{push(code.def->slots), code.def->is_global() ? nullptr : up};
      fill_arguments(*code.def, code.all().first(n), frame, outer.slots);
      Frame inner{push(code.target->slots), &outer};
      fill_arguments(*code.target, code.all().subspan(n), frame, inner.slots);
      return eval(*code.target->body, &inner);
    }
    case Op::FunctionDef: return function_value(code, frame);
    case Op::ApplyFunctionDef: return apply_function(code, frame);
    case Op::And:
      for (const Code* kid : code.all())
        if (!truth(*kid, frame)) return kFalse;
      return kTrue;
    case Op::Or:
      for (const Code* kid : code.all())
        if (truth(*kid, frame)) return kTrue;
      return kFalse;
    case Op::Not: return Value::of_bool(!truth(code.kid(0), frame));
    case Op::Implies:
      return Value::of_bool(!truth(code.kid(0), frame) ||
                            truth(code.kid(1), frame));
    case Op::Equiv:
      return Value::of_bool(truth(code.kid(0), frame) ==
                            truth(code.kid(1), frame));
    case Op::If:
      return eval(code.kid(truth(code.kid(0), frame) ? 1 : 2), frame);
    case Op::Case: return case_of(code, frame);
    case Op::Let: return let(code, frame);
    case Op::Forall: return Value::of_bool(quantify(code, frame, true));
    case Op::Exists: return Value::of_bool(quantify(code, frame, false));
    case Op::Choose: return choose(code, frame);
    case Op::SetFilter: return filter(code, frame);
    case Op::SetMap: return map(code, frame);
    case Op::Function: return function(code, frame);
    case Op::Prime: return primed(code, frame);
    case Op::Unchanged: return Value::of_bool(unchanged(code.kid(0), frame));
    case Op::Enabled: return Value::of_bool(enabled(code.kid(0), frame));
    case Op::BoxAct:
      return Value::of_bool(truth(code.kid(0), frame) ||
                            unchanged(code.kid(1), frame));
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
