#include "tla/evaluate/enumeration.h"

#include "tla/evaluate/iteration.h"

namespace txscope::tla {
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
    Enumeration::parts(*this, parts);
    return true;
  });
  return !is_stopped_;
}

/// The conjunction of formulas with different frames.
void Evaluator::Enumeration::parts(Evaluator& e,
                                   std::span<const Formula> parts) {
  std::vector<Continuation> rest(parts.size());
  for (std::size_t i = parts.size(); i-- > 0;)
    rest[i] = {Continuation::Kind::Formula, parts[i].code, 0, parts[i].frame,
               i + 1 < parts.size() ? &rest[i + 1] : nullptr};
  resume(e, rest.empty() ? nullptr : rest.data());
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
    Enumeration::run(*this, *action.code, action.frame, nullptr);
    return true;
  });
  return !is_stopped_;
}

void Evaluator::Enumeration::resume(Evaluator& e, Continuation* then) {
  if (e.is_stopped_) return;
  if (e.open_ == 0) return conclude(e, then);
  if (then == nullptr) return emit(e);
  switch (then->kind) {
    case Continuation::Kind::Conjuncts:
      return conjuncts(e, *then->code, then->from, then->frame, then->next);
    case Continuation::Kind::Unchanged:
      return unchanged_from(e, *then->code, then->from, then->frame,
                            then->next);
    case Continuation::Kind::Formula:
      return run(e, *then->code, then->frame, then->next);
    case Continuation::Kind::Choices:
      return choice(e, *then->code, then->from, then->frame, *then->choices,
                    then->next);
    case Continuation::Kind::State: {
      const Value* before = e.now_;
      go_to(e, then->now);
      resume(e, then->next);
      return go_to(e, before);
    }
  }
}

/// Every variable has its value: what is left is true or false as a whole,
/// and no longer branches.
void Evaluator::Enumeration::conclude(Evaluator& e, Continuation* then) {
  const Value* before = e.now_;
  bool holds = true;
  for (; then != nullptr && holds; then = then->next)
    if (then->kind == Continuation::Kind::State)
      go_to(e, then->now);
    else
      holds = holds_rest(e, *then);
  if (holds) emit(e);
  if (e.now_ != before) go_to(e, before);
}

bool Evaluator::Enumeration::holds_rest(Evaluator& e,
                                        const Continuation& then) {
  const Code& code = *then.code;
  switch (then.kind) {
    case Continuation::Kind::Conjuncts:
      for (std::size_t i = then.from; i < code.count; ++i)
        if (!e.truth(code.kid(i), then.frame)) return false;
      return true;
    case Continuation::Kind::Unchanged:
      for (std::size_t i = then.from; i < code.count; ++i)
        if (!e.unchanged(code.kid(i), then.frame)) return false;
      return true;
    case Continuation::Kind::Formula: return e.truth(code, then.frame);
    case Continuation::Kind::Choices:
      for (std::size_t at = then.from; at < then.choices->size();) {
        const Mark mark(e);
        Frame inner = choice_frame(e, code, at, then.frame, *then.choices);
        if (!e.truth(code.kid(0), &inner)) return false;
      }
      return true;
    case Continuation::Kind::State: break;
  }
  return false;
}

void Evaluator::Enumeration::emit(Evaluator& e) {
  const std::size_t variables = e.program_.variables().size();
  for (std::size_t i = 0; i < variables && e.open_ > 0 && !e.is_partial_; ++i) {
    if (!e.building_[i].is_none()) continue;
    const std::string name = e.program_.variables()[i];
    const Spot nowhere{e.program_.root().source, 0, 0};
    const Spot& spot = e.action_ != nullptr ? e.action_->spot : nowhere;
    fail(spot,
         e.is_initial_ ? "the initial predicate gives no value to " + name
                       : "the action gives no value to " + name + "'",
         e.is_initial_ ? "" : "add UNCHANGED " + name);
  }
  if (!e.sink_->state(e.building_)) e.is_stopped_ = true;
}

void Evaluator::Enumeration::conjuncts(Evaluator& e, const Code& code,
                                       std::size_t from, Frame* frame,
                                       Continuation* then) {
  // Conditions that come first need no continuation.
  std::size_t i = from;
  for (; i < code.count; ++i) {
    const Code& kid = code.kid(i);
    if (e.is_initial_ || kid.is_primed || kid.branches) break;
    if (!e.truth(kid, frame)) return;
  }
  if (i == code.count) return resume(e, then);
  if (i + 1 == code.count) return run(e, code.kid(i), frame, then);
  Continuation rest{Continuation::Kind::Conjuncts, &code, i + 1, frame, then};
  run(e, code.kid(i), frame, &rest);
}

void Evaluator::Enumeration::exists(Evaluator& e, const Code& code,
                                    Frame* frame, Continuation* then) {
  Iteration::for_all_choices(e, code, frame, [&] {
    run(e, code.kid(0), frame, then);
    return !e.is_stopped_;
  });
}

/// \A x \in S : A is the conjunction over S.  Each element gets a frame of its
/// own, as the parts are interleaved.
void Evaluator::Enumeration::forall(Evaluator& e, const Code& code,
                                    Frame* frame, Continuation* then) {
  std::vector<Value> choices;
  Iteration::for_all_choices(e, code, frame, [&] {
    for (const Binder& b : code.binders) {
      const std::uint32_t width = b.tuple == 0 ? 1 : b.tuple;
      for (std::uint32_t i = 0; i < width; ++i)
        choices.push_back(frame->slots[b.slot + i]);
    }
    return true;
  });
  choice(e, code, 0, frame, choices, then);
}

/// The frame of the choice that begins at `at`, which is moved to the next.
Frame Evaluator::Enumeration::choice_frame(Evaluator& e, const Code& code,
                                           std::size_t& at, Frame* frame,
                                           const std::vector<Value>& choices) {
  const std::uint32_t slots = code.home->slots;
  Frame inner{e.push(slots), frame->up};
  std::copy(frame->slots, frame->slots + slots, inner.slots);
  for (const Binder& b : code.binders) {
    const std::uint32_t width = b.tuple == 0 ? 1 : b.tuple;
    for (std::uint32_t i = 0; i < width; ++i)
      inner.slots[b.slot + i] = choices[at++];
  }
  return inner;
}

void Evaluator::Enumeration::choice(Evaluator& e, const Code& code,
                                    std::size_t from, Frame* frame,
                                    const std::vector<Value>& choices,
                                    Continuation* then) {
  if (from == choices.size()) return resume(e, then);
  const Mark mark(e);
  std::size_t at = from;
  Frame inner = choice_frame(e, code, at, frame, choices);
  Continuation rest{
      Continuation::Kind::Choices, &code, at, frame, then, &choices};
  run(e, code.kid(0), &inner, &rest);
}

void Evaluator::Enumeration::call(Evaluator& e, const Def& def,
                                  const Code& code, Frame* frame, Frame* up,
                                  std::span<const Code* const> kids,
                                  Continuation* then) {
  e.check_depth(code);
  const Mark mark(e);
  Frame inner{e.push(def.slots), up};
  e.fill_arguments(def, kids, frame, inner.slots);
  const Def* outer_action = e.action_;
  Frame* outer_frame = e.action_frame_;
  const bool was_set = e.action_is_set_;
  if (!e.action_is_set_ && def.is_primed) {
    e.action_ = &def;
    e.action_frame_ = &inner;
    e.action_is_set_ = def.body->op == Op::And;
  }
  run(e, *def.body, &inner, then);
  e.action_ = outer_action;
  e.action_frame_ = outer_frame;
  e.action_is_set_ = was_set;
}

/// An action with another name: a function, a parameter, one of an instance.
void Evaluator::Enumeration::named(Evaluator& e, const Code& code, Frame* frame,
                                   Continuation* then) {
  switch (code.op) {
    case Op::ApplyFunctionDef: {
      e.check_depth(code);
      const Mark mark(e);
      const Value arg = e.settled(code.kid(0), frame);
      FunctionInstance& f = DefinedFunctions::instance(e, code, frame);
      Frame inner{e.push(f.def->slots), f.up};
      DefinedFunctions::bind_point(e, f, arg, &inner, code.spot);
      return run(e, f.def->body->kid(0), &inner, then);
    }
    case Op::CallSlot: {
      Frame* f = frame;
      for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
      const Value v = f->slots[code.index];
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      return call(e, *closure.def, code, frame, closure.up, code.all(), then);
    }
    case Op::CallInstance: {
      const Mark mark(e);
      return call(e, *code.target, code, frame, e.enter_instances(code, frame),
                  code.all().last(code.target->params), then);
    }
    case Op::Slot: {
      // A parameter that is a formula: A(p) == p /\ ...
      Frame* f = frame;
      for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
      const Value v = f->slots[code.index];
      if (v.tag() != Tag::Thunk) break;
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return run(e, *thunk.code, thunk.frame, then);
    }
    default: break;
  }
  if (e.test(code, frame)) resume(e, then);
}

void Evaluator::Enumeration::run(Evaluator& e, const Code& code, Frame* frame,
                                 Continuation* then) {
  if (e.is_stopped_) return;
  if (!code.is_primed && !code.branches && !e.is_initial_) {
    if (e.truth(code, frame)) resume(e, then);
    return;
  }
  if (e.is_counting_) ++code.visits;
  switch (code.op) {
    case Op::And: return conjuncts(e, code, 0, frame, then);
    case Op::Or:
      for (const Code* kid : code.all()) run(e, *kid, frame, then);
      return;
    case Op::Exists: return exists(e, code, frame, then);
    case Op::Forall: return forall(e, code, frame, then);
    case Op::If:
      return run(e, code.kid(e.truth(code.kid(0), frame) ? 1 : 2), frame, then);
    case Op::Implies:
      if (!e.truth(code.kid(0), frame)) return resume(e, then);
      return run(e, code.kid(1), frame, then);
    case Op::Case: {
      std::uint32_t i = 0;
      for (; i + 1 < code.count; i += 2)
        if (e.truth(code.kid(i), frame))
          return run(e, code.kid(i + 1), frame, then);
      if (i < code.count) return run(e, code.kid(i), frame, then);
      e.fault(code, "no case of CASE applies", "add [] OTHER -> ...");
    }
    case Op::Let: {
      const Mark mark(e);
      const LetScope scope(e, code, frame);
      return run(e, code.kid(0), frame, then);
    }
    case Op::Call: {
      Frame* up = nullptr;
      if (!code.def->is_global()) {
        up = frame;
        for (std::uint32_t i = code.hops; i > 0; --i) up = up->up;
      }
      if (code.def->native >= 0) break;
      return call(e, *code.def, code, frame, up, code.all(), then);
    }
    case Op::ApplyFunctionDef:
    case Op::CallSlot:
    case Op::CallInstance:
    case Op::Slot: return named(e, code, frame, then);
    case Op::Equal: return equal(e, code, frame, then);
    case Op::In: return in(e, code, frame, then);
    case Op::Subseteq: return subseteq(e, code, frame, then);
    case Op::Not:
      // <<A>>_v in ENABLED: a variable left open can change.
      if (!e.is_partial_ || code.kid(0).op != Op::Unchanged) break;
      if (may_change(e, code.kid(0).kid(0), frame)) resume(e, then);
      return;
    case Op::Unchanged: return unchanged(e, code.kid(0), frame, then);
    case Op::Compose: return composed_step(e, code, frame, then);
    case Op::BoxAct:
      run(e, code.kid(0), frame, then);
      return unchanged(e, code.kid(1), frame, then);
    default: break;
  }
  if (e.test(code, frame)) resume(e, then);
}

}  // namespace txscope::tla
