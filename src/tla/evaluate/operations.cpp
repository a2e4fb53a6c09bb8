#include <algorithm>

#include "tla/evaluate/defined_functions.h"
#include "tla/evaluate/evaluator_parts.h"
#include "tla/evaluate/library_operations.h"
#include "tla/evaluate/membership.h"
#include "tla/evaluate/sequence_operations.h"
#include "tla/evaluate/tlc_operations.h"

namespace txscope::tla {
namespace {

/// Values of these kinds are never equal, and comparing them is most likely
/// a mistake of the specification.
bool is_comparable(Value a, Value b) {
  if (a.tag() == b.tag()) {
    if (a.tag() != Tag::Node) return true;
    return a.as_node()->is_function() == b.as_node()->is_function();
  }
  return a.tag() == Tag::Model || b.tag() == Tag::Model;
}

bool is_in_range(std::int64_t n) {
  return n >= -kLargestInt && n <= kLargestInt;
}

}  // namespace

Value Evaluator::settled(const Code& code, Frame* frame) {
  const Value v = eval(code, frame);
  if (!v.is_node() || !v.as_node()->is_lazy()) return v;
  at_ = &code;
  return sets_.settle(v);
}

std::int64_t Evaluator::integer(const Code& code, Frame* frame) {
  const Value v = eval(code, frame);
  if (!v.is_int()) not_integer(code, v);
  return v.as_int();
}

void Evaluator::not_integer(const Code& code, Value v) {
  fault(code, "expected an integer, found " + brief(v));
}

Value Evaluator::too_large(const Code& code) {
  fault(code, "the result is too large", "integers have 60 bits");
}

const Node& Evaluator::function_node(Value v, const Code& code) {
  if (!v.is_node() || !v.as_node()->is_function())
    fault(code, "expected a function, found " + brief(v));
  return *v.as_node();
}

const Node& Evaluator::sequence_node(Value v, const Code& code) {
  if (!v.is_node() || v.as_node()->kind != NodeKind::Sequence)
    fault(code, "expected a sequence, found " + brief(v));
  return *v.as_node();
}

bool Evaluator::equal(Value a, Value b, const Code& code) {
  if (a == b) return true;
  const auto is_lazy = [](Value v) {
    return v.is_node() && v.as_node()->is_lazy();
  };
  if (is_lazy(a) || is_lazy(b)) {
    at_ = &code;
    // An infinite set differs from every finite one.
    if (a.is_node() && b.is_node() && !a.as_node()->is_function() &&
        !b.as_node()->is_function() && sets_.is_finite(a) != sets_.is_finite(b))
      return false;
    a = sets_.settle(a);
    b = sets_.settle(b);
    if (a == b) return true;
  }
  if (!is_comparable(a, b))
    fault(code, "cannot compare " + brief(a) + " with " + brief(b),
          "one is " + kind_of(a) + ", the other " + kind_of(b));
  return false;
}

Value Evaluator::arithmetic(const Code& code, Frame* frame) {
  const std::int64_t a = integer(code.kid(0), frame);
  const std::int64_t b = integer(code.kid(1), frame);
  std::int64_t result = 0;
  bool overflow = false;
  switch (code.op) {
    case Op::Multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
    case Op::Divide:
    case Op::Modulo:
      if (b == 0 || (code.op == Op::Modulo && b < 0))
        fault(code, "the divisor is " + std::to_string(b));
      // TLA+ rounds down: a = b * (a \div b) + a % b with 0 <= a % b < b.
      result = a / b;
      if (a % b != 0 && (a < 0) != (b < 0)) --result;
      if (code.op == Op::Modulo) result = a - b * result;
      break;
    case Op::Power:
      if (b < 0) fault(code, "the exponent is negative");
      result = 1;
      for (std::int64_t i = 0; i < b && !overflow; ++i) {
        if (a == 0 || a == 1 || a == -1) {
          result = a == -1 && b % 2 == 0 ? 1 : a;
          break;
        }
        overflow =
            __builtin_mul_overflow(result, a, &result) || !is_in_range(result);
      }
      break;
    default: break;
  }
  return overflow || !is_in_range(result) ? too_large(code)
                                          : Value::of_int(result);
}

/// Where a function has its value for `arg`; -1 if it has none.
std::int64_t Evaluator::place_of(const Node& f, Value arg) {
  if (f.kind == NodeKind::Sequence)
    return arg.is_int() && arg.as_int() >= 1 && arg.as_int() <= f.size
               ? arg.as_int() - 1
               : -1;
  const Node& domain = *f.domain.as_node();
  // Most that have integers have all of a range.
  if (arg.is_int() && domain.items[0].is_int()) {
    const std::int64_t at = arg.as_int() - domain.items[0].as_int();
    if (at >= 0 && at < domain.size && domain.items[at] == arg) return at;
  }
  constexpr std::uint32_t kFew = 8;  // looking through them takes less
  if (domain.size <= kFew) return find_in_set(domain, arg);
  const Value known = places_.find(f.domain.bits(), arg.bits());
  if (!known.is_none()) return known.as_int();
  const std::int64_t at = find_in_set(domain, arg);
  places_.note(f.domain.bits(), arg.bits(), Value::of_int(at));
  return at;
}

Value Evaluator::apply(Value f, Value arg, const Code& code) {
  const Node& node = function_node(f, code);
  const std::int64_t at = place_of(node, arg);
  if (at >= 0) return node.items[at];
  fault(code, brief(arg) + " is not in the domain of the function " + brief(f));
}

Value Evaluator::field(const Code& code, Frame* frame) {
  const Value v = eval(code.kid(0), frame);
  const Node& node = function_node(v, code);
  if (node.kind == NodeKind::Function) {
    if (node.domain == code.cache_key) return node.items[code.cache_index];
    const std::int64_t at = find_in_set(*node.domain.as_node(), code.value);
    if (at >= 0) {
      code.cache_key = node.domain;
      code.cache_index = static_cast<std::uint32_t>(at);
      return node.items[at];
    }
  }
  fault(code, "the record " + brief(v) + " has no field " +
                  code.value.as_name()->text);
}

Value Evaluator::update(Value base, const CodeUpdate& u, std::size_t step,
                        const Value* path, Frame* frame, const Code& code) {
  if (step == u.path.size()) {
    frame->slots[u.at_slot] = base;
    return settled(*u.value, frame);
  }
  const Node& node = function_node(base, code);
  const std::int64_t at = place_of(node, path[step]);
  if (at < 0) return base;  // EXCEPT changes nothing outside the domain
  const Value changed = update(node.items[at], u, step + 1, path, frame, code);
  if (changed == node.items[at]) return base;
  const Mark mark(*this);
  Value* items = push(node.size);
  std::copy(node.items, node.items + node.size, items);
  items[at] = changed;
  return remade(node, items);
}

/// A function with the domain of another.
Value Evaluator::remade(const Node& like, const Value* items) {
  const std::span<const Value> all(items, like.size);
  return like.kind == NodeKind::Sequence ? store_.sequence(all)
                                         : store_.function(like.domain, all);
}

/// All updates are made before the function is: what stands between two of them
/// is seen by nobody.
Value Evaluator::except(const Code& code, Frame* frame) {
  const Value base = eval(code.kid(0), frame);
  const Mark mark(*this);
  const Node* node = nullptr;
  Value* items = nullptr;
  bool is_changed = false;
  for (const CodeUpdate& u : code.updates) {
    Value* path = push(u.path.size());
    for (std::size_t i = 0; i < u.path.size(); ++i)
      path[i] = settled(*u.path[i], frame);
    if (node == nullptr) {
      node = &function_node(base, code);
      items = push(node->size);
      std::copy(node->items, node->items + node->size, items);
    }
    const std::int64_t at = place_of(*node, path[0]);
    if (at < 0) continue;
    const Value changed = update(items[at], u, 1, path, frame, code);
    is_changed = is_changed || changed != items[at];
    items[at] = changed;
  }
  return is_changed ? remade(*node, items) : base;
}

Value Evaluator::domain(Value f, const Code& code) {
  const Node& node = function_node(f, code);
  if (node.kind == NodeKind::Function) return node.domain;
  return store_.interval(1, node.size);
}

/// f @@ g: f where it is defined, else g.
Value Evaluator::merge(Value f, Value g, const Code& code) {
  function_node(f, code);
  function_node(g, code);
  at_ = &code;
  const Value df = sets_.settle(domain(f, code));
  const Value dg = sets_.settle(domain(g, code));
  const Value all = sets_.cup(df, dg);
  std::vector<Value> values;
  for (const Value key : all.as_node()->all()) {
    const std::int64_t at = find_in_set(*df.as_node(), key);
    values.push_back(at >= 0 ? f.as_node()->items[at] : apply(g, key, code));
  }
  return store_.function(all, values);
}

Value Evaluator::operate(const Code& code, Frame* frame) {
  const auto kid = [&](std::uint32_t i) { return eval(code.kid(i), frame); };
  switch (code.op) {
    case Op::Subseteq:
      return Value::of_bool(Membership::is_subset(*this, code, frame));
    case Op::Cup: {
      const Value a = kid(0);
      if (is_singleton(code.kid(1)) && Sets::is_at_hand(a))
        return sets_.with(a, settled(code.kid(1).kid(0), frame));
      const Value b = kid(1);
      at_ = &code;
      return sets_.cup(a, b);
    }
    case Op::SetEnum: {
      if (code.count == 1) {
        const Value only[] = {settled(code.kid(0), frame)};
        return store_.sorted_set(only);
      }
      std::vector<Value> elements;
      for (const Code* k : code.all()) elements.push_back(settled(*k, frame));
      return store_.set(elements);
    }
    case Op::Powerset: {
      const Value only[] = {kid(0)};
      if (!only[0].is_node() || only[0].as_node()->is_function())
        fault(code, "expected a set, found " + brief(only[0]));
      return store_.lazy(NodeKind::Subset, only);
    }
    case Op::BigUnion: {
      const Value v = kid(0);
      at_ = &code;
      return sets_.big_union(v);
    }
    case Op::Product:
    case Op::FunctionSet:
    case Op::RecordSet: {
      const Mark mark(*this);
      Value* sets = push(code.count);
      for (std::uint32_t i = 0; i < code.count; ++i) {
        sets[i] = kid(i);
        if (!sets[i].is_node() || sets[i].as_node()->is_function())
          fault(code.kid(i), "expected a set, found " + brief(sets[i]));
      }
      const NodeKind kind = code.op == Op::Product       ? NodeKind::Product
                            : code.op == Op::FunctionSet ? NodeKind::FunctionSet
                                                         : NodeKind::RecordSet;
      return store_.lazy(kind, {sets, code.count}, code.value);
    }
    case Op::Interval: {
      const std::int64_t a = integer(code.kid(0), frame);
      return store_.interval(a, integer(code.kid(1), frame));
    }
    case Op::Cardinality: {
      const Value v = kid(0);
      at_ = &code;
      return Value::of_int(sets_.cardinality(v));
    }
    case Op::IsFiniteSet: {
      const Value v = kid(0);
      at_ = &code;
      return Value::of_bool(sets_.is_finite(v));
    }
    case Op::Apply: {
      if (code.kid(0).op == Op::Function)
        return DefinedFunctions::apply_literal(*this, code, frame);
      if (code.kid(0).op != Op::Variable)  // of which most functions are
        if (const Unbuilt f =
                DefinedFunctions::unbuilt(*this, code.kid(0), frame);
            f.code != nullptr)
          return DefinedFunctions::apply_unbuilt(
              *this, f, settled(code.kid(1), frame), code);
      const Value f = kid(0);
      return apply(f, settled(code.kid(1), frame), code);
    }
    case Op::Domain:
      if (const Unbuilt f =
              DefinedFunctions::unbuilt(*this, code.kid(0), frame);
          f.code != nullptr)
        return DefinedFunctions::domain_of_unbuilt(*this, f);
      return domain(kid(0), code);
    case Op::Record:
    case Op::Tuple: {
      const Mark mark(*this);
      Value* items = push(code.count);
      for (std::uint32_t i = 0; i < code.count; ++i)
        items[i] = settled(code.kid(i), frame);
      const std::span<const Value> all(items, code.count);
      return code.op == Op::Tuple ? store_.sequence(all)
                                  : store_.function(code.value, all);
    }
    case Op::Merge: {
      const Value f = kid(0);
      return merge(f, kid(1), code);
    }
    case Op::Pair: {
      const Value key[] = {settled(code.kid(0), frame)};
      const Value value[] = {settled(code.kid(1), frame)};
      return store_.function(store_.sorted_set(key), value);
    }
    case Op::Multiply:
    case Op::Divide:
    case Op::Modulo:
    case Op::Power: return arithmetic(code, frame);
    case Op::Negate: return Value::of_int(-integer(code.kid(0), frame));
    case Op::SelectSeq:
    case Op::SeqSet:
    case Op::SortSeq: return SequenceOperations::evaluate(*this, code, frame);
    case Op::Library: return LibraryOperations::evaluate(*this, code, frame);
    default: return TlcOperations::evaluate(*this, code, frame);
  }
}

}  // namespace txscope::tla
