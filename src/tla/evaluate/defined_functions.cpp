#include "tla/evaluate/defined_functions.h"

#include "tla/evaluate/membership.h"

namespace txscope::tla {

Evaluator::FunctionInstance& Evaluator::DefinedFunctions::instance(
    Evaluator& e, const Code& code, Frame* frame) {
  const Def& def = *code.def;
  if (!def.is_global()) {
    for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
    const Value v = frame->slots[code.index];
    return *static_cast<FunctionInstance*>(const_cast<void*>(v.pointer()));
  }
  FunctionInstance*& f = e.function_of_[&def];
  if (f == nullptr) {
    e.functions_.push_back(std::make_unique<FunctionInstance>());
    f = e.functions_.back().get();
    f->def = &def;
  }
  return *f;
}

/// f[x \in S] == e as a value: every point of its domain.
Value Evaluator::DefinedFunctions::value(Evaluator& e, const Code& code,
                                         Frame* frame) {
  const Def& def = *code.def;
  e.check_depth(code);
  FunctionInstance& f = instance(e, code, frame);
  make_current(e, f, def);
  if (!f.whole.is_none()) return f.whole;
  const Mark mark(e);
  const Dependence dependence(e);
  Frame inner{e.push(def.slots), f.up};
  const Value whole = e.eval(*def.body, &inner);
  if (may_remember(e, f, dependence)) f.whole = whole;
  if (def.is_global() && def.is_constant()) def.known = whole;
  return whole;
}

/// Makes a function forget what does not fit the state at hand.  A local one
/// lives no longer than its state does.
void Evaluator::DefinedFunctions::make_current(Evaluator& e,
                                               FunctionInstance& f,
                                               const Def& def) {
  if (def.is_global() && def.is_constant()) {
    f.now = e.now_;
    return;
  }
  const bool same_state =
      f.now == e.now_ && (!def.is_global() || f.epoch == e.epoch_);
  if (!same_state ||
      (f.version != Thunk::kSettled && f.version != e.version_)) {
    f.forget();
    f.now = e.now_;
    f.epoch = e.epoch_;
  }
  if (f.version != Thunk::kSettled) e.is_provisional_ = true;
}

/// Whether a value just computed belongs to what the function remembers: in
/// the meantime it may have been asked in another state, under a prime.
bool Evaluator::DefinedFunctions::may_remember(Evaluator& e,
                                               FunctionInstance& f,
                                               const Dependence& dependence) {
  const std::uint64_t version = dependence.version();
  if (f.now != e.now_) return false;
  if (version == Thunk::kSettled) return true;
  if (f.version == Thunk::kSettled) f.version = version;
  return f.version == version;
}

Value Evaluator::DefinedFunctions::apply(Evaluator& e, const Code& code,
                                         Frame* frame) {
  const Def& def = *code.def;
  e.check_depth(code);
  const Value arg = e.settled(code.kid(0), frame);
  if (!def.known.is_none()) return e.apply(def.known, arg, code);
  FunctionInstance& f = instance(e, code, frame);
  make_current(e, f, def);
  if (!f.whole.is_none()) return e.apply(f.whole, arg, code);
  return apply_instance(e, f, arg, code.spot);
}

/// Gives the variables of a function constructor the parts of an argument.
template <class IsIn>
void Evaluator::DefinedFunctions::bind_parts(Evaluator& e,
                                             const Code& constructor, Value arg,
                                             Frame* inner, const Spot& spot,
                                             const std::string& name,
                                             const IsIn& is_in) {
  const std::size_t count = constructor.binders.size();
  const Node* tuple = nullptr;
  if (count > 1) {
    tuple = arg.is_node() ? arg.as_node() : nullptr;
    if (tuple == nullptr || tuple->kind != NodeKind::Sequence ||
        tuple->size != count)
      fail(spot, name + " takes " + std::to_string(count) +
                     " arguments, found " + brief(arg));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value part = tuple == nullptr ? arg : tuple->items[i];
    if (!is_in(i, part))
      fail(spot, brief(part) + " is not in the domain of " + name);
    e.assign(constructor.binders[i], part, inner, spot);
  }
}

void Evaluator::DefinedFunctions::bind_point(Evaluator& e, FunctionInstance& f,
                                             Value arg, Frame* inner,
                                             const Spot& spot) {
  const Code& constructor = *f.def->body;
  if (f.domains.empty()) {
    const Dependence dependence(e);
    for (const Binder& binder : constructor.binders)
      f.domains.push_back(e.eval(*binder.set, inner));
    (void)may_remember(e, f, dependence);
  }
  bind_parts(e, constructor, arg, inner, spot, f.def->name,
             [&](std::size_t i, Value part) {
               e.at_ = &constructor;
               return e.sets_.contains(f.domains[i], part);
             });
}

/// [x \in S |-> e][y]: one point of a function that is never built.
Value Evaluator::DefinedFunctions::apply_literal(Evaluator& e, const Code& code,
                                                 Frame* frame) {
  const Code& constructor = code.kid(0);
  const Value arg = e.settled(code.kid(1), frame);
  bind_parts(e, constructor, arg, frame, code.spot, "this function",
             [&](std::size_t i, Value part) {
               return Membership::is_member(e, part,
                                            *constructor.binders[i].set, frame);
             });
  return e.settled(constructor.kid(0), frame);
}

/// What an expression stands for, as far as names, records and EXCEPT lead, if
/// that is a function over an infinite set.  An argument that has a value
/// already is none.
Evaluator::Unbuilt Evaluator::DefinedFunctions::unbuilt(Evaluator& e,
                                                        const Code& code,
                                                        Frame* frame) {
  switch (code.op) {
    case Op::Function:
      return is_unbounded(e, code) ? Unbuilt{&code, frame} : Unbuilt{};
    case Op::FunctionDef:
      return is_unbounded(e, *code.def->body) ? Unbuilt{&code, frame}
                                              : Unbuilt{};
    case Op::Except:
      return unbuilt(e, code.kid(0), frame).code != nullptr
                 ? Unbuilt{&code, frame}
                 : Unbuilt{};
    case Op::Slot: {
      for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
      const Value v = frame->slots[code.index];
      if (v.tag() != Tag::Thunk) return {};
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return thunk.value.is_none() ? unbuilt(e, *thunk.code, thunk.frame)
                                   : Unbuilt{};
    }
    case Op::Field: return unbuilt_field(e, code, frame);
    default: return {};
  }
}

/// [a |-> f, b |-> g].b, where the record may be an argument or a name of LET.
Evaluator::Unbuilt Evaluator::DefinedFunctions::unbuilt_field(Evaluator& e,
                                                              const Code& code,
                                                              Frame* frame) {
  const Code* record = &code.kid(0);
  while (record->op == Op::Slot) {
    for (std::uint32_t i = record->hops; i > 0; --i) frame = frame->up;
    const Value v = frame->slots[record->index];
    if (v.tag() != Tag::Thunk) return {};
    const auto& thunk = *static_cast<const Thunk*>(v.pointer());
    if (!thunk.value.is_none()) return {};
    record = thunk.code;
    frame = thunk.frame;
  }
  if (record->op != Op::Record) return {};
  const std::int64_t at = find_in_set(*record->value.as_node(), code.value);
  if (at < 0) return {};
  return unbuilt(e, record->kid(static_cast<std::uint32_t>(at)), frame);
}

Value Evaluator::DefinedFunctions::apply_unbuilt(Evaluator& e, const Unbuilt& f,
                                                 Value arg, const Code& code) {
  e.check_depth(code);
  if (f.code->op == Op::FunctionDef) {
    FunctionInstance& named = instance(e, *f.code, f.frame);
    make_current(e, named, *f.code->def);
    return apply_instance(e, named, arg, code.spot);
  }
  if (f.code->op == Op::Function) {
    bind_parts(e, *f.code, arg, f.frame, code.spot, "this function",
               [&](std::size_t i, Value part) {
                 return Membership::is_member(e, part, *f.code->binders[i].set,
                                              f.frame);
               });
    return e.settled(f.code->kid(0), f.frame);
  }
  Value result =
      apply_unbuilt(e, unbuilt(e, f.code->kid(0), f.frame), arg, code);
  for (const CodeUpdate& u : f.code->updates) {
    const Mark mark(e);
    Value* path = e.push(u.path.size());
    for (std::size_t i = 0; i < u.path.size(); ++i)
      path[i] = e.settled(*u.path[i], f.frame);
    if (path[0] == arg) result = e.update(result, u, 1, path, f.frame, *f.code);
  }
  return result;
}

Value Evaluator::DefinedFunctions::domain_of_unbuilt(Evaluator& e,
                                                     const Unbuilt& f) {
  if (f.code->op == Op::Except)
    return domain_of_unbuilt(e, unbuilt(e, f.code->kid(0), f.frame));
  const bool is_definition = f.code->op == Op::FunctionDef;
  const Code& constructor = is_definition ? *f.code->def->body : *f.code;
  if (constructor.binders.size() != 1)
    e.fault(*f.code,
            "the domain of a function over several infinite sets is "
            "not supported");
  if (!is_definition) return e.eval(*constructor.binders[0].set, f.frame);
  const Mark mark(e);
  Frame inner{e.push(f.code->def->slots), instance(e, *f.code, f.frame).up};
  return e.eval(*constructor.binders[0].set, &inner);
}

Value Evaluator::DefinedFunctions::apply_instance(Evaluator& e,
                                                  FunctionInstance& f,
                                                  Value arg, const Spot& spot) {
  const std::uint64_t key = arg.bits();
  if (const Value known = f.points.find(&key); !known.is_none()) return known;
  const Def& def = *f.def;
  const Mark mark(e);
  const Dependence dependence(e);
  Frame inner{e.push(def.slots), f.up};
  bind_point(e, f, arg, &inner, spot);
  const Value result = e.sets_.settle(e.eval(def.body->kid(0), &inner));
  if (may_remember(e, f, dependence)) f.points.insert(&key, result);
  return result;
}

}  // namespace txscope::tla
