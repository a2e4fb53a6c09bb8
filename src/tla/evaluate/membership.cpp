#include "tla/evaluate/membership.h"

#include <algorithm>

#include "tla/evaluate/defined_functions.h"

namespace txscope::tla {
namespace {

constexpr int kDeepestShape = 8;

/// What a reference to a definition stands for, if that is not known yet.
const Code* body_of_call(const Code& code) {
  const Def& def = *code.def;
  const bool is_open = def.known.is_none() && def.is_global() && def.native < 0;
  return is_open ? def.body : nullptr;
}

bool is_infinite_set(Sets& sets, Value v) {
  return v.is_node() && v.as_node()->is_lazy() && !sets.is_finite(v);
}

/// Whether a set has infinitely many elements, as far as its shape tells.
bool is_infinite_shape(Sets& sets, const Code& set, int depth) {
  if (depth == kDeepestShape) return false;
  const auto is_infinite = [&](const Code& part) {
    return is_infinite_shape(sets, part, depth + 1);
  };
  switch (set.op) {
    case Op::Const: return is_infinite_set(sets, set.value);
    case Op::SeqSet: return true;
    case Op::SetFilter: return is_infinite(*set.binders[0].set);
    case Op::Minus: return is_infinite(set.kid(0));
    case Op::Cap: return is_infinite(set.kid(0)) && is_infinite(set.kid(1));
    case Op::Cup:
    case Op::Product: {
      const auto kids = set.all();
      return std::any_of(kids.begin(), kids.end(),
                         [&](const Code* kid) { return is_infinite(*kid); });
    }
    case Op::Call: {
      if (!set.def->known.is_none())
        return is_infinite_set(sets, set.def->known);
      const Code* body = body_of_call(set);
      return body != nullptr && is_infinite(*body);
    }
    default: return false;
  }
}

}  // namespace

bool Evaluator::DefinedFunctions::is_unbounded(Evaluator& e,
                                               const Code& constructor) {
  return std::any_of(constructor.binders.begin(), constructor.binders.end(),
                     [&](const Binder& binder) {
                       return is_infinite_shape(e.sets_, *binder.set, 0);
                     });
}

namespace {

/// Whether a set has no list of elements and no value either, as
/// {n \in Nat : n > 0}; is_member() asks its parts.  Any other set is better
/// evaluated once than asked about one element after the other.
bool has_shape(Sets& sets, const Code& set, int depth = 0) {
  if (depth == kDeepestShape) return false;
  const auto part_has_shape = [&](const Code* part) {
    return has_shape(sets, *part, depth + 1);
  };
  switch (set.op) {
    case Op::SetFilter:
      return is_infinite_shape(sets, *set.binders[0].set, depth + 1);
    case Op::Powerset:
    case Op::SeqSet:
    case Op::FunctionSet:
    case Op::RecordSet:
    case Op::Product:
    case Op::Cup:
    case Op::Cap:
    case Op::Minus:
    case Op::If:
    case Op::Let: {
      const auto kids = set.all();
      return std::any_of(kids.begin(), kids.end(), part_has_shape);
    }
    case Op::Call: {
      const Code* body = body_of_call(set);
      return body != nullptr && part_has_shape(body);
    }
    default: return false;
  }
}

}  // namespace

namespace {

/// Whether a set that is not a list is the same in every state and frame.
bool is_lasting(const Code& set) {
  if (set.op == Op::Call)
    return set.count == 0 && set.def->is_global() && set.def->is_constant() &&
           !set.def->has_effects;
  return set.is_closed;
}

}  // namespace

/// v \in S by the shape of S, without building S: so `f \in [A -> {n \in Nat :
/// n > 0}]` can be answered, which no list of elements could.
bool Evaluator::Membership::is_member(Evaluator& e, Value v, const Code& set,
                                      Frame* frame) {
  const bool is_known = v.is_node() && !v.as_node()->is_lazy() &&
                        is_lasting(set) && e.recorder_ == nullptr &&
                        !e.is_counting_;
  if (!is_known) return of_shape(e, v, set, frame);
  const auto key = reinterpret_cast<std::uint64_t>(&set);
  if (const Value known = e.members_.find(v.bits(), key); !known.is_none())
    return known == kTrue;
  const bool result = of_shape(e, v, set, frame);
  e.members_.note(v.bits(), key, Value::of_bool(result));
  return result;
}

bool Evaluator::Membership::of_shape(Evaluator& e, Value v, const Code& set,
                                     Frame* frame) {
  const bool is_function = v.is_node() && v.as_node()->is_function();
  const bool is_sequence =
      is_function && v.as_node()->kind == NodeKind::Sequence;
  const auto all_items_in = [&](const Code& target) {
    const auto items = v.as_node()->all();
    return std::all_of(items.begin(), items.end(), [&](Value item) {
      return is_member(e, item, target, frame);
    });
  };
  switch (set.op) {
    case Op::Interval: {
      const std::int64_t first = e.integer(set.kid(0), frame);
      const std::int64_t last = e.integer(set.kid(1), frame);
      return v.is_int() && v.as_int() >= first && v.as_int() <= last;
    }
    case Op::SetEnum:
      for (const Code* kid : set.all())
        if (e.equal(v, e.eval(*kid, frame), set)) return true;
      return false;
    case Op::SetFilter: return of_filter(e, v, set, frame);
    case Op::Powerset: {
      if (v.tag() == Tag::Model) return false;
      if (!v.is_node() || is_function)
        e.fault(set, "expected a set as element of SUBSET, found " + brief(v));
      if (v.as_node()->is_lazy()) break;
      return all_items_in(set.kid(0));
    }
    case Op::SeqSet: return is_sequence && all_items_in(set.kid(0));
    case Op::FunctionSet: {
      if (!is_function) return false;
      const Value wanted = e.eval(set.kid(0), frame);
      e.at_ = &set;
      if (!has_domain(e, v, wanted, set)) return false;
      return all_items_in(set.kid(1));
    }
    case Op::RecordSet:
      if (!is_function || v.as_node()->domain != set.value) return false;
      for (std::uint32_t i = 0; i < set.count; ++i)
        if (!is_member(e, v.as_node()->items[i], set.kid(i), frame))
          return false;
      return true;
    case Op::Product:
      if (!is_sequence || v.as_node()->size != set.count) return false;
      for (std::uint32_t i = 0; i < set.count; ++i)
        if (!is_member(e, v.as_node()->items[i], set.kid(i), frame))
          return false;
      return true;
    case Op::Cup:
      return is_member(e, v, set.kid(0), frame) ||
             is_member(e, v, set.kid(1), frame);
    case Op::Cap:
      return is_member(e, v, set.kid(0), frame) &&
             is_member(e, v, set.kid(1), frame);
    case Op::Minus:
      return is_member(e, v, set.kid(0), frame) &&
             !is_member(e, v, set.kid(1), frame);
    case Op::BigUnion:
      if (set.kid(0).op != Op::SetEnum) break;
      for (const Code* kid : set.kid(0).all())
        if (is_member(e, v, *kid, frame)) return true;
      return false;
    case Op::If:
      return is_member(e, v, set.kid(e.truth(set.kid(0), frame) ? 1 : 2),
                       frame);
    case Op::Let: {
      const Mark mark(e);
      const LetScope scope(e, set, frame);
      return is_member(e, v, set.kid(0), frame);
    }
    case Op::Call: {
      const Def& def = *set.def;
      if (!def.known.is_none() || !def.is_global() || def.native >= 0) break;
      e.check_depth(set);
      const Mark mark(e);
      Frame inner{e.push(def.slots), nullptr};
      e.fill_arguments(def, set.all(), frame, inner.slots);
      return is_member(e, v, *def.body, &inner);
    }
    default: break;
  }
  const Value s = e.eval(set, frame);
  e.at_ = &set;
  return e.sets_.contains(s, v);
}

/// DOMAIN f = S, for f a function; 1..n need not be made for that.
bool Evaluator::Membership::has_domain(Evaluator& e, Value f, Value wanted,
                                       const Code& code) {
  const Node& node = *f.as_node();
  if (node.kind == NodeKind::Sequence && wanted.is_node() &&
      wanted.as_node()->kind == NodeKind::Interval)
    return wanted.as_node()->items[0] == Value::of_int(1) &&
           wanted.as_node()->items[1] == Value::of_int(node.size);
  return e.equal(e.domain(f, code), wanted, code);
}

bool Evaluator::Membership::of_filter(Evaluator& e, Value v, const Code& set,
                                      Frame* frame) {
  const Binder& binder = set.binders[0];
  if (!is_member(e, v, *binder.set, frame)) return false;
  // The filter may be the one that is being evaluated around us.
  const Mark mark(e);
  const std::uint32_t width = std::max(1u, binder.tuple);
  Value* before = e.push(width);
  std::copy_n(frame->slots + binder.slot, width, before);
  e.assign(binder, e.sets_.settle(v), frame, set.spot);
  const bool result = e.truth(set.kid(0), frame);
  std::copy_n(before, width, frame->slots + binder.slot);
  return result;
}

bool Evaluator::Membership::is_subset(Evaluator& e, const Code& code,
                                      Frame* frame) {
  const Value a = e.eval(code.kid(0), frame);
  if (!a.is_node() || a.as_node()->is_function())
    e.fault(code.kid(0), "expected a set, found " + brief(a));
  if (!has_shape(e.sets_, code.kid(1))) {
    const Value b = e.eval(code.kid(1), frame);
    e.at_ = &code;
    return e.sets_.is_subset(a, b);
  }
  e.at_ = &code;
  return e.sets_.for_each(
      a, [&](Value v) { return is_member(e, v, code.kid(1), frame); });
}

/// A \cap B and A \ B, where B may have no list of elements.
Value Evaluator::Membership::restricted(Evaluator& e, const Code& code,
                                        Frame* frame) {
  const bool is_cap = code.op == Op::Cap;
  const bool is_swapped = is_cap && has_shape(e.sets_, code.kid(0));
  const Code& listed = code.kid(is_swapped ? 1 : 0);
  const Code& other = code.kid(is_swapped ? 0 : 1);
  const Value a = e.eval(listed, frame);
  if (!is_cap && is_singleton(other) && Sets::is_at_hand(a))
    return e.sets_.without(a, e.settled(other.kid(0), frame));
  e.at_ = &code;
  if (!has_shape(e.sets_, other) || !e.sets_.is_finite(a)) {
    const Value b = e.eval(other, frame);
    e.at_ = &code;
    return is_cap ? e.sets_.cap(a, b) : e.sets_.minus(a, b);
  }
  std::vector<Value> kept;
  e.sets_.for_each(a, [&](Value v) {
    if (is_member(e, v, other, frame) == is_cap) e.sets_.append(kept, v);
    return true;
  });
  e.sets_.ask_for(kept.size());
  return e.store_.sorted_set(kept);
}

}  // namespace txscope::tla
