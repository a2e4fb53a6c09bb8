#include "tla/evaluate/iteration.h"

namespace txscope::tla {
namespace {

constexpr std::int64_t kNoVariable = -1;

}  // namespace

/// Enumeration follows TLC.  An action is read from left to right with what
/// is still to be satisfied kept aside; `x' = e` gives x' a value the first
/// time and is a test afterwards; every true disjunct and every witness of
/// \E is a branch of its own, even where no prime is in sight.  So states are
/// counted as TLC counts them (Lamport, Specifying Systems, Section 14.2.6).
bool Evaluator::enumerate_initial(std::span<const Formula> parts,
                                  StateSink& sink) {
  const Building building(*this, sink, true, false);
  guarded([&] {
    now_ = building_;
    next_ = nullptr;
    enumerate_parts(parts);
    return true;
  });
  return !is_stopped_;
}

/// The conjunction of formulas with different frames.
void Evaluator::enumerate_parts(std::span<const Formula> parts) {
  std::vector<Continuation> rest(parts.size());
  for (std::size_t i = parts.size(); i-- > 0;)
    rest[i] = {Continuation::Kind::Formula, parts[i].code, 0, parts[i].frame,
               i + 1 < parts.size() ? &rest[i + 1] : nullptr};
  resume(rest.empty() ? nullptr : rest.data());
}

bool Evaluator::enumerate_successors(const Formula& action, const Value* now,
                                     StateSink& sink) {
  const Building building(*this, sink, false, false);
  if (action.named != nullptr) {
    action_ = action.named;
    action_frame_ = action.frame;
    action_is_set_ = action.code->op == Op::And;
  }
  guarded([&] {
    now_ = now;
    next_ = building_;
    enumerate(*action.code, action.frame, nullptr);
    return true;
  });
  return !is_stopped_;
}

void Evaluator::resume(Continuation* then) {
  if (is_stopped_) return;
  if (open_ == 0) return conclude(then);
  if (then == nullptr) return emit();
  switch (then->kind) {
    case Continuation::Kind::Conjuncts:
      return enumerate_and(*then->code, then->from, then->frame, then->next);
    case Continuation::Kind::Unchanged:
      return enumerate_unchanged_from(*then->code, then->from, then->frame,
                                      then->next);
    case Continuation::Kind::Formula:
      return enumerate(*then->code, then->frame, then->next);
    case Continuation::Kind::Choices:
      return enumerate_choice(*then->code, then->from, then->frame,
                              *then->choices, then->next);
    case Continuation::Kind::State: {
      const Value* before = now_;
      go_to(then->now);
      resume(then->next);
      return go_to(before);
    }
  }
}

/// Every variable has its value: what is left is true or false as a whole,
/// and no longer branches.
void Evaluator::conclude(Continuation* then) {
  const Value* before = now_;
  bool holds = true;
  for (; then != nullptr && holds; then = then->next)
    if (then->kind == Continuation::Kind::State)
      go_to(then->now);
    else
      holds = holds_rest(*then);
  if (holds) emit();
  if (now_ != before) go_to(before);
}

bool Evaluator::holds_rest(const Continuation& then) {
  const Code& code = *then.code;
  switch (then.kind) {
    case Continuation::Kind::Conjuncts:
      for (std::size_t i = then.from; i < code.count; ++i)
        if (!truth(code.kid(i), then.frame)) return false;
      return true;
    case Continuation::Kind::Unchanged:
      for (std::size_t i = then.from; i < code.count; ++i)
        if (!unchanged(code.kid(i), then.frame)) return false;
      return true;
    case Continuation::Kind::Formula: return truth(code, then.frame);
    case Continuation::Kind::Choices:
      for (std::size_t at = then.from; at < then.choices->size();) {
        const Mark mark(*this);
        Frame inner = choice_frame(code, at, then.frame, *then.choices);
        if (!truth(code.kid(0), &inner)) return false;
      }
      return true;
    case Continuation::Kind::State: break;
  }
  return false;
}

void Evaluator::emit() {
  const std::size_t variables = program_.variables().size();
  for (std::size_t i = 0; i < variables && open_ > 0 && !is_partial_; ++i) {
    if (!building_[i].is_none()) continue;
    const std::string name = program_.variables()[i];
    const Spot nowhere{program_.root().source, 0, 0};
    const Spot& spot = action_ != nullptr ? action_->spot : nowhere;
    fail(spot,
         is_initial_ ? "the initial predicate gives no value to " + name
                     : "the action gives no value to " + name + "'",
         is_initial_ ? "" : "add UNCHANGED " + name);
  }
  if (!sink_->state(building_)) is_stopped_ = true;
}

void Evaluator::enumerate_and(const Code& code, std::size_t from, Frame* frame,
                              Continuation* then) {
  // Conditions that come first need no continuation.
  std::size_t i = from;
  for (; i < code.count; ++i) {
    const Code& kid = code.kid(i);
    if (is_initial_ || kid.is_primed || kid.branches) break;
    if (!truth(kid, frame)) return;
  }
  if (i == code.count) return resume(then);
  if (i + 1 == code.count) return enumerate(code.kid(i), frame, then);
  Continuation rest{Continuation::Kind::Conjuncts, &code, i + 1, frame, then};
  enumerate(code.kid(i), frame, &rest);
}

void Evaluator::assign_variable(std::uint32_t variable, Value v,
                                Continuation* then) {
  const bool is_real = variable < program_.variables().size();
  const std::uint64_t before = version_;
  building_[variable] = v;
  version_ = ++last_version_;
  if (is_real) --open_;
  resume(then);
  if (is_real) ++open_;
  building_[variable] = Value();
  version_ = before;  // what was remembered then is true again
}

/// The variable that `code` stands for: directly, through a parameter, or
/// through a definition; -1 if it stands for none.
std::int64_t Evaluator::plain_variable(const Code& code, Frame* frame) {
  if (code.op == Op::Variable) return code.index;
  if (code.op == Op::Slot) {
    for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
    const Value v = frame->slots[code.index];
    if (v.tag() != Tag::Thunk) return kNoVariable;
    const auto& thunk = *static_cast<const Thunk*>(v.pointer());
    return plain_variable(*thunk.code, thunk.frame);
  }
  if (code.op == Op::Call && code.def->params == 0 && code.def->is_global() &&
      (code.def->body->op == Op::Variable || code.def->body->op == Op::Call))
    return plain_variable(*code.def->body, frame);
  return kNoVariable;
}

/// The variable that `code = e` may give a value to.
std::int64_t Evaluator::target_variable(const Code& code, Frame* frame) {
  switch (code.op) {
    case Op::Primed:
      return is_initial_ ? kNoVariable : std::int64_t{code.index};
    case Op::Prime: {
      if (is_initial_) return kNoVariable;
      const std::int64_t i = stand_in(code.kid(0));
      return i >= 0 ? i : plain_variable(code.kid(0), frame);
    }
    case Op::Variable:
      return is_initial_ ? std::int64_t{code.index} : kNoVariable;
    case Op::Call:
      if (is_initial_) return plain_variable(code, frame);
      if (code.def->params > 0 || !code.def->is_global()) return kNoVariable;
      return target_variable(*code.def->body, frame);
    case Op::Slot: {
      for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
      const Value v = frame->slots[code.index];
      if (v.tag() != Tag::Thunk) return kNoVariable;
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return target_variable(*thunk.code, thunk.frame);
    }
    default: return kNoVariable;
  }
}

void Evaluator::enumerate_equal(const Code& code, Frame* frame,
                                Continuation* then) {
  std::int64_t variable = target_variable(code.kid(0), frame);
  if (variable >= 0 && building_[variable].is_none()) {
    const Value v = settled(code.kid(1), frame);
    return assign_variable(static_cast<std::uint32_t>(variable), v, then);
  }
  if (test(code, frame)) resume(then);
}

/// x' \subseteq S gives x' every subset of S, as x' \in SUBSET S does.
void Evaluator::enumerate_subseteq(const Code& code, Frame* frame,
                                   Continuation* then) {
  const std::int64_t variable = target_variable(code.kid(0), frame);
  if (variable < 0 || !building_[variable].is_none()) {
    if (test(code, frame)) resume(then);
    return;
  }
  const Value only[] = {eval(code.kid(1), frame)};
  if (!only[0].is_node() || only[0].as_node()->is_function())
    fault(code.kid(1), "expected a set, found " + brief(only[0]));
  at_ = &code;
  sets_.for_each(store_.lazy(NodeKind::Subset, only), [&](Value v) {
    assign_variable(static_cast<std::uint32_t>(variable), v, then);
    return !is_stopped_;
  });
}

void Evaluator::enumerate_in(const Code& code, Frame* frame,
                             Continuation* then) {
  const std::int64_t variable = target_variable(code.kid(0), frame);
  if (variable < 0 || !building_[variable].is_none()) {
    if (test(code, frame)) resume(then);
    return;
  }
  const Value set = eval(code.kid(1), frame);
  at_ = &code;
  sets_.for_each(set, [&](Value v) {
    assign_variable(static_cast<std::uint32_t>(variable), v, then);
    return !is_stopped_;
  });
}

/// UNCHANGED <<x, y>> of variables: all at once, as none of it branches.
/// False if the tuple has other parts.
bool Evaluator::keep_variables(const Code& tuple, Continuation* then) {
  if (tuple.count > 64) return false;
  for (const Code* kid : tuple.all())
    if (kid->op != Op::Variable || kid->stand_in != 0) return false;
  std::uint64_t set_here = 0;
  bool holds = true;
  for (std::uint32_t i = 0; i < tuple.count && holds; ++i) {
    const std::uint32_t x = tuple.kid(i).index;
    if (building_[x].is_none()) {
      building_[x] = now_[x];
      --open_;
      set_here |= std::uint64_t{1} << i;
    } else {
      holds = building_[x] == now_[x];
    }
  }
  const std::uint64_t before = version_;
  version_ = ++last_version_;
  if (holds) resume(then);
  for (std::uint32_t i = 0; i < tuple.count; ++i)
    if ((set_here >> i & 1u) != 0) {
      building_[tuple.kid(i).index] = Value();
      ++open_;
    }
  version_ = before;
  return true;
}

void Evaluator::enumerate_unchanged(const Code& code, Frame* frame,
                                    Continuation* then) {
  if (const std::int64_t i = stand_in(code); i >= 0 && open_ > 0) {
    const Value before = settled(code, frame);
    if (building_[i].is_none())
      return assign_variable(static_cast<std::uint32_t>(i), before, then);
    if (building_[i] == before) resume(then);
    return;
  }
  if (code.op == Op::Tuple) {
    if (keep_variables(code, then)) return;
    return enumerate_unchanged_from(code, 0, frame, then);
  }
  if (code.op == Op::Call && code.def->params == 0 && code.def->is_global()) {
    const Mark mark(*this);
    Frame inner{push(code.def->slots), nullptr};
    return enumerate_unchanged(*code.def->body, &inner, then);
  }
  const std::int64_t variable = plain_variable(code, frame);
  if (variable >= 0) {
    if (building_[variable].is_none())
      return assign_variable(static_cast<std::uint32_t>(variable),
                             now_[variable], then);
    if (building_[variable] == now_[variable]) resume(then);
    return;
  }
  if (code.op == Op::Slot) {
    Frame* f = frame;
    for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
    const Value v = f->slots[code.index];
    if (v.tag() == Tag::Thunk) {
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return enumerate_unchanged(*thunk.code, thunk.frame, then);
    }
    return resume(then);  // a value never changes
  }
  if (unchanged(code, frame)) resume(then);
}

void Evaluator::enumerate_unchanged_from(const Code& tuple, std::size_t from,
                                         Frame* frame, Continuation* then) {
  if (from == tuple.count) return resume(then);
  Continuation rest{Continuation::Kind::Unchanged, &tuple, from + 1, frame,
                    then};
  enumerate_unchanged(tuple.kid(from), frame, &rest);
}

void Evaluator::enumerate_exists(const Code& code, Frame* frame,
                                 Continuation* then) {
  for_all_choices(code, frame, [&] {
    enumerate(code.kid(0), frame, then);
    return !is_stopped_;
  });
}

/// \A x \in S : A is the conjunction over S.  Each element gets a frame of its
/// own, as the parts are interleaved.
void Evaluator::enumerate_forall(const Code& code, Frame* frame,
                                 Continuation* then) {
  std::vector<Value> choices;
  for_all_choices(code, frame, [&] {
    for (const Binder& b : code.binders) {
      const std::uint32_t width = b.tuple == 0 ? 1 : b.tuple;
      for (std::uint32_t i = 0; i < width; ++i)
        choices.push_back(frame->slots[b.slot + i]);
    }
    return true;
  });
  enumerate_choice(code, 0, frame, choices, then);
}

/// The frame of the choice that begins at `at`, which is moved to the next.
Frame Evaluator::choice_frame(const Code& code, std::size_t& at, Frame* frame,
                              const std::vector<Value>& choices) {
  const std::uint32_t slots = code.home->slots;
  Frame inner{push(slots), frame->up};
  std::copy(frame->slots, frame->slots + slots, inner.slots);
  for (const Binder& b : code.binders) {
    const std::uint32_t width = b.tuple == 0 ? 1 : b.tuple;
    for (std::uint32_t i = 0; i < width; ++i)
      inner.slots[b.slot + i] = choices[at++];
  }
  return inner;
}

void Evaluator::enumerate_choice(const Code& code, std::size_t from,
                                 Frame* frame,
                                 const std::vector<Value>& choices,
                                 Continuation* then) {
  if (from == choices.size()) return resume(then);
  const Mark mark(*this);
  std::size_t at = from;
  Frame inner = choice_frame(code, at, frame, choices);
  Continuation rest{
      Continuation::Kind::Choices, &code, at, frame, then, &choices};
  enumerate(code.kid(0), &inner, &rest);
}

void Evaluator::enumerate_call(const Def& def, const Code& code, Frame* frame,
                               Frame* up, std::span<const Code* const> kids,
                               Continuation* then) {
  check_depth(code);
  const Mark mark(*this);
  Frame inner{push(def.slots), up};
  fill_arguments(def, kids, frame, inner.slots);
  const Def* outer_action = action_;
  Frame* outer_frame = action_frame_;
  const bool was_set = action_is_set_;
  if (!action_is_set_ && def.is_primed) {
    action_ = &def;
    action_frame_ = &inner;
    action_is_set_ = def.body->op == Op::And;
  }
  enumerate(*def.body, &inner, then);
  action_ = outer_action;
  action_frame_ = outer_frame;
  action_is_set_ = was_set;
}

/// An action with another name: a function, a parameter, one of an instance.
void Evaluator::enumerate_named(const Code& code, Frame* frame,
                                Continuation* then) {
  switch (code.op) {
    case Op::ApplyFunctionDef: {
      check_depth(code);
      const Mark mark(*this);
      const Value arg = settled(code.kid(0), frame);
      FunctionInstance& f = function_instance(code, frame);
      Frame inner{push(f.def->slots), f.up};
      bind_point(f, arg, &inner, code.spot);
      return enumerate(f.def->body->kid(0), &inner, then);
    }
    case Op::CallSlot: {
      Frame* f = frame;
      for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
      const Value v = f->slots[code.index];
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      return enumerate_call(*closure.def, code, frame, closure.up, code.all(),
                            then);
    }
    case Op::CallInstance: {
      const Mark mark(*this);
      return enumerate_call(*code.target, code, frame,
                            enter_instances(code, frame),
                            code.all().last(code.target->params), then);
    }
    case Op::Slot: {
      // A parameter that is a formula: A(p) == p /\ ...
      Frame* f = frame;
      for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
      const Value v = f->slots[code.index];
      if (v.tag() != Tag::Thunk) break;
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return enumerate(*thunk.code, thunk.frame, then);
    }
    default: break;
  }
  if (test(code, frame)) resume(then);
}

void Evaluator::enumerate(const Code& code, Frame* frame, Continuation* then) {
  if (is_stopped_) return;
  if (!code.is_primed && !code.branches && !is_initial_) {
    if (truth(code, frame)) resume(then);
    return;
  }
  if (is_counting_) ++code.visits;
  switch (code.op) {
    case Op::And: return enumerate_and(code, 0, frame, then);
    case Op::Or:
      for (const Code* kid : code.all()) enumerate(*kid, frame, then);
      return;
    case Op::Exists: return enumerate_exists(code, frame, then);
    case Op::Forall: return enumerate_forall(code, frame, then);
    case Op::If:
      return enumerate(code.kid(truth(code.kid(0), frame) ? 1 : 2), frame,
                       then);
    case Op::Implies:
      if (!truth(code.kid(0), frame)) return resume(then);
      return enumerate(code.kid(1), frame, then);
    case Op::Case: {
      std::uint32_t i = 0;
      for (; i + 1 < code.count; i += 2)
        if (truth(code.kid(i), frame))
          return enumerate(code.kid(i + 1), frame, then);
      if (i < code.count) return enumerate(code.kid(i), frame, then);
      fault(code, "no case of CASE applies", "add [] OTHER -> ...");
    }
    case Op::Let: {
      const Mark mark(*this);
      const LetScope scope(*this, code, frame);
      return enumerate(code.kid(0), frame, then);
    }
    case Op::Call: {
      Frame* up = nullptr;
      if (!code.def->is_global()) {
        up = frame;
        for (std::uint32_t i = code.hops; i > 0; --i) up = up->up;
      }
      if (code.def->native >= 0) break;
      return enumerate_call(*code.def, code, frame, up, code.all(), then);
    }
    case Op::ApplyFunctionDef:
    case Op::CallSlot:
    case Op::CallInstance:
    case Op::Slot: return enumerate_named(code, frame, then);
    case Op::Equal: return enumerate_equal(code, frame, then);
    case Op::In: return enumerate_in(code, frame, then);
    case Op::Subseteq: return enumerate_subseteq(code, frame, then);
    case Op::Not:
      // <<A>>_v in ENABLED: a variable left open can change.
      if (!is_partial_ || code.kid(0).op != Op::Unchanged) break;
      if (may_change(code.kid(0).kid(0), frame)) resume(then);
      return;
    case Op::Unchanged: return enumerate_unchanged(code.kid(0), frame, then);
    case Op::Compose: return enumerate_composed(code, frame, then);
    case Op::BoxAct:
      enumerate(code.kid(0), frame, then);
      return enumerate_unchanged(code.kid(1), frame, then);
    default: break;
  }
  if (test(code, frame)) resume(then);
}

}  // namespace txscope::tla
