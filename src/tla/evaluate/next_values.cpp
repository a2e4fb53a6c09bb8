#include "tla/evaluate/enumeration.h"

// How the parts of an action give values to variables.

namespace txscope::tla {
namespace {

constexpr std::int64_t kNoVariable = -1;

}  // namespace

void Evaluator::Enumeration::assign_variable(Evaluator& e,
                                             std::uint32_t variable, Value v,
                                             Continuation* then) {
  const bool is_real = variable < e.program_.variables().size();
  const std::uint64_t before = e.version_;
  e.building_[variable] = v;
  e.version_ = ++e.last_version_;
  if (is_real) --e.open_;
  resume(e, then);
  if (is_real) ++e.open_;
  e.building_[variable] = Value();
  e.version_ = before;  // what was remembered then is true again
}

/// The variable that `code` stands for: directly, through a parameter, or
/// through a definition; -1 if it stands for none.
std::int64_t Evaluator::Enumeration::plain_variable(Evaluator& e,
                                                    const Code& code,
                                                    Frame* frame) {
  if (code.op == Op::Variable) return code.index;
  if (code.op == Op::Slot) {
    for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
    const Value v = frame->slots[code.index];
    if (v.tag() != Tag::Thunk) return kNoVariable;
    const auto& thunk = *static_cast<const Thunk*>(v.pointer());
    return plain_variable(e, *thunk.code, thunk.frame);
  }
  if (code.op == Op::Call && code.def->params == 0 && code.def->is_global() &&
      (code.def->body->op == Op::Variable || code.def->body->op == Op::Call))
    return plain_variable(e, *code.def->body, frame);
  return kNoVariable;
}

/// The variable that `code = e` may give a value to.
std::int64_t Evaluator::Enumeration::target_variable(Evaluator& e,
                                                     const Code& code,
                                                     Frame* frame) {
  switch (code.op) {
    case Op::Primed:
      return e.is_initial_ ? kNoVariable : std::int64_t{code.index};
    case Op::Prime: {
      if (e.is_initial_) return kNoVariable;
      const std::int64_t i = stand_in(e, code.kid(0));
      return i >= 0 ? i : plain_variable(e, code.kid(0), frame);
    }
    case Op::Variable:
      return e.is_initial_ ? std::int64_t{code.index} : kNoVariable;
    case Op::Call:
      if (e.is_initial_) return plain_variable(e, code, frame);
      if (code.def->params > 0 || !code.def->is_global()) return kNoVariable;
      return target_variable(e, *code.def->body, frame);
    case Op::Slot: {
      for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
      const Value v = frame->slots[code.index];
      if (v.tag() != Tag::Thunk) return kNoVariable;
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return target_variable(e, *thunk.code, thunk.frame);
    }
    default: return kNoVariable;
  }
}

void Evaluator::Enumeration::equal(Evaluator& e, const Code& code, Frame* frame,
                                   Continuation* then) {
  std::int64_t variable = target_variable(e, code.kid(0), frame);
  if (variable >= 0 && e.building_[variable].is_none()) {
    const Value v = e.settled(code.kid(1), frame);
    return assign_variable(e, static_cast<std::uint32_t>(variable), v, then);
  }
  if (e.test(code, frame)) resume(e, then);
}

/// x' \subseteq S gives x' every subset of S, as x' \in SUBSET S does.
void Evaluator::Enumeration::subseteq(Evaluator& e, const Code& code,
                                      Frame* frame, Continuation* then) {
  const std::int64_t variable = target_variable(e, code.kid(0), frame);
  if (variable < 0 || !e.building_[variable].is_none()) {
    if (e.test(code, frame)) resume(e, then);
    return;
  }
  const Value only[] = {e.eval(code.kid(1), frame)};
  if (!only[0].is_node() || only[0].as_node()->is_function())
    e.fault(code.kid(1), "expected a set, found " + brief(only[0]));
  e.at_ = &code;
  e.sets_.for_each(e.store_.lazy(NodeKind::Subset, only), [&](Value v) {
    assign_variable(e, static_cast<std::uint32_t>(variable), v, then);
    return !e.is_stopped_;
  });
}

void Evaluator::Enumeration::in(Evaluator& e, const Code& code, Frame* frame,
                                Continuation* then) {
  const std::int64_t variable = target_variable(e, code.kid(0), frame);
  if (variable < 0 || !e.building_[variable].is_none()) {
    if (e.test(code, frame)) resume(e, then);
    return;
  }
  const Value set = e.eval(code.kid(1), frame);
  e.at_ = &code;
  e.sets_.for_each(set, [&](Value v) {
    assign_variable(e, static_cast<std::uint32_t>(variable), v, then);
    return !e.is_stopped_;
  });
}

/// UNCHANGED <<x, y>> of variables: all at once, as none of it branches.
/// False if the tuple has other parts.
bool Evaluator::Enumeration::keep_variables(Evaluator& e, const Code& tuple,
                                            Continuation* then) {
  if (tuple.count > 64) return false;
  for (const Code* kid : tuple.all())
    if (kid->op != Op::Variable || kid->stand_in != 0) return false;
  std::uint64_t set_here = 0;
  bool holds = true;
  for (std::uint32_t i = 0; i < tuple.count && holds; ++i) {
    const std::uint32_t x = tuple.kid(i).index;
    if (e.building_[x].is_none()) {
      e.building_[x] = e.now_[x];
      --e.open_;
      set_here |= std::uint64_t{1} << i;
    } else {
      holds = e.building_[x] == e.now_[x];
    }
  }
  const std::uint64_t before = e.version_;
  e.version_ = ++e.last_version_;
  if (holds) resume(e, then);
  for (std::uint32_t i = 0; i < tuple.count; ++i)
    if ((set_here >> i & 1u) != 0) {
      e.building_[tuple.kid(i).index] = Value();
      ++e.open_;
    }
  e.version_ = before;
  return true;
}

void Evaluator::Enumeration::unchanged(Evaluator& e, const Code& code,
                                       Frame* frame, Continuation* then) {
  if (const std::int64_t i = stand_in(e, code); i >= 0 && e.open_ > 0) {
    const Value before = e.settled(code, frame);
    if (e.building_[i].is_none())
      return assign_variable(e, static_cast<std::uint32_t>(i), before, then);
    if (e.building_[i] == before) resume(e, then);
    return;
  }
  if (code.op == Op::Tuple) {
    if (keep_variables(e, code, then)) return;
    return unchanged_from(e, code, 0, frame, then);
  }
  if (code.op == Op::Call && code.def->params == 0 && code.def->is_global()) {
    const Mark mark(e);
    Frame inner{e.push(code.def->slots), nullptr};
    return unchanged(e, *code.def->body, &inner, then);
  }
  const std::int64_t variable = plain_variable(e, code, frame);
  if (variable >= 0) {
    if (e.building_[variable].is_none())
      return assign_variable(e, static_cast<std::uint32_t>(variable),
                             e.now_[variable], then);
    if (e.building_[variable] == e.now_[variable]) resume(e, then);
    return;
  }
  if (code.op == Op::Slot) {
    Frame* f = frame;
    for (std::uint32_t i = code.hops; i > 0; --i) f = f->up;
    const Value v = f->slots[code.index];
    if (v.tag() == Tag::Thunk) {
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return unchanged(e, *thunk.code, thunk.frame, then);
    }
    return resume(e, then);  // a value never changes
  }
  if (e.unchanged(code, frame)) resume(e, then);
}

void Evaluator::Enumeration::unchanged_from(Evaluator& e, const Code& tuple,
                                            std::size_t from, Frame* frame,
                                            Continuation* then) {
  if (from == tuple.count) return resume(e, then);
  Continuation rest{Continuation::Kind::Unchanged, &tuple, from + 1, frame,
                    then};
  unchanged(e, tuple.kid(from), frame, &rest);
}

}  // namespace txscope::tla
