#include "tla/evaluate/shapes.h"

namespace txscope::tla {
namespace {

bool is_small(std::int64_t n) { return n >= -kLargestInt && n <= kLargestInt; }

}  // namespace

Value evaluate_first(Evaluator& e, const Code& code, Frame* frame) {
  code.run = Evaluator::Shapes::of(code);
  return code.run(e, code, frame);
}

/// The functions themselves; they see the evaluator's parts.
struct Evaluator::Forms {
  static Value once(Evaluator& e, const Code& code, Frame* frame) {
    // A recorder has to see the calls in it.
    if (!code.known.is_none() && e.recorder_ == nullptr) return code.known;
    return code.known = Shapes::of_open(code)(e, code, frame);
  }
  static Value rare(Evaluator& e, const Code& code, Frame* frame) {
    return e.compute(code, frame);
  }
  static Value constant(Evaluator&, const Code& code, Frame*) {
    return code.value;
  }

  // Names.
  static Value variable(Evaluator& e, const Code& code, Frame*) {
    if (e.now_ == nullptr) return e.no_state(code);
    if (e.is_unsettled(e.now_)) e.is_provisional_ = true;
    const Value v = e.now_[code.index];
    return v.is_none() ? e.no_value(code) : v;
  }
  static Value next(Evaluator& e, const Code& code, Frame*) {
    if (e.next_ == nullptr) return e.no_state(code);
    e.is_provisional_ = true;
    const Value v = e.next_[code.index];
    return v.is_none() ? e.no_value(code) : v;
  }
  static Value slot(Evaluator& e, const Code& code, Frame* frame) {
    return e.value_of(frame->slots[code.index]);
  }
  static Value outer_slot(Evaluator& e, const Code& code, Frame* frame) {
    return e.value_of(frame->up->slots[code.index]);
  }
  static Value far_slot(Evaluator& e, const Code& code, Frame* frame) {
    for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
    return e.value_of(frame->slots[code.index]);
  }

  // Logic.
  static Value conjunction(Evaluator& e, const Code& code, Frame* frame) {
    for (const Code* kid : code.all())
      if (!e.truth(*kid, frame)) return kFalse;
    return kTrue;
  }
  static Value disjunction(Evaluator& e, const Code& code, Frame* frame) {
    for (const Code* kid : code.all())
      if (e.truth(*kid, frame)) return kTrue;
    return kFalse;
  }
  static Value negation(Evaluator& e, const Code& code, Frame* frame) {
    return Value::of_bool(!e.truth(code.kid(0), frame));
  }
  static Value implication(Evaluator& e, const Code& code, Frame* frame) {
    return Value::of_bool(!e.truth(code.kid(0), frame) ||
                          e.truth(code.kid(1), frame));
  }
  static Value choice(Evaluator& e, const Code& code, Frame* frame) {
    return e.eval(code.kid(e.truth(code.kid(0), frame) ? 1 : 2), frame);
  }
  template <bool kIsForall>
  static Value quantifier(Evaluator& e, const Code& code, Frame* frame) {
    return Value::of_bool(e.quantify(code, frame, kIsForall));
  }

  // Comparisons.
  static bool is_equal(Evaluator& e, const Code& code, Frame* frame) {
    const Value a = e.eval(code.kid(0), frame);
    const Value b = e.eval(code.kid(1), frame);
    if (a == b) return true;
    if (a.tag() == b.tag() && !a.is_node()) return false;
    return e.equal(a, b, code);
  }
  static Value equal(Evaluator& e, const Code& code, Frame* frame) {
    return Value::of_bool(is_equal(e, code, frame));
  }
  static Value different(Evaluator& e, const Code& code, Frame* frame) {
    return Value::of_bool(!is_equal(e, code, frame));
  }
  template <bool kIsIn>
  static Value membership(Evaluator& e, const Code& code, Frame* frame) {
    const Value v = e.eval(code.kid(0), frame);
    return Value::of_bool(e.is_member(v, code.kid(1), frame) == kIsIn);
  }

  /// The set is a value, and no expression whose parts could be asked instead.
  template <bool kIsIn>
  static Value listed(Evaluator& e, const Code& code, Frame* frame) {
    const Value v = e.eval(code.kid(0), frame);
    const Value set = e.eval(code.kid(1), frame);
    if (set.is_node() && set.as_node()->kind == NodeKind::Set &&
        !(v.is_node() && v.as_node()->is_lazy()))
      return Value::of_bool((find_in_set(*set.as_node(), v) >= 0) == kIsIn);
    e.at_ = &code.kid(1);
    return Value::of_bool(e.sets_.contains(set, v) == kIsIn);
  }

  // Numbers.
  template <Op kOp>
  static Value number(Evaluator& e, const Code& code, Frame* frame) {
    const Value a = e.eval(code.kid(0), frame);
    if (!a.is_int()) e.not_integer(code.kid(0), a);
    const Value b = e.eval(code.kid(1), frame);
    if (!b.is_int()) e.not_integer(code.kid(1), b);
    const std::int64_t x = a.as_int();
    const std::int64_t y = b.as_int();
    if constexpr (kOp == Op::Less) return Value::of_bool(x < y);
    if constexpr (kOp == Op::LessEqual) return Value::of_bool(x <= y);
    if constexpr (kOp == Op::Greater) return Value::of_bool(x > y);
    if constexpr (kOp == Op::GreaterEqual) return Value::of_bool(x >= y);
    const std::int64_t result = kOp == Op::Add ? x + y : x - y;
    return is_small(result) ? Value::of_int(result) : e.too_large(code);
  }

  // Functions.
  static Value apply(Evaluator& e, const Code& code, Frame* frame) {
    const Value f = e.eval(code.kid(0), frame);
    const Value arg = e.settled(code.kid(1), frame);
    if (f.is_node() && f.as_node()->kind == NodeKind::Sequence &&
        arg.is_int()) {
      const auto at = static_cast<std::uint64_t>(arg.as_int()) - 1;
      if (at < f.as_node()->size) return f.as_node()->items[at];
    }
    return e.apply(f, arg, code);
  }
  /// f may be a function over an infinite set, but not if it has a value.
  static Value apply_slot(Evaluator& e, const Code& code, Frame* frame) {
    const Code& name = code.kid(0);
    Frame* home = frame;
    for (std::uint32_t i = name.hops; i > 0; --i) home = home->up;
    const Value f = home->slots[name.index];
    if (f.tag() == Tag::Thunk &&
        static_cast<const Thunk*>(f.pointer())->value.is_none())
      return e.compute(code, frame);
    return apply(e, code, frame);
  }
  static Value field(Evaluator& e, const Code& code, Frame* frame) {
    return e.field(code, frame);
  }
  static Value except(Evaluator& e, const Code& code, Frame* frame) {
    return e.except(code, frame);
  }
  static Value call(Evaluator& e, const Code& code, Frame* frame) {
    const Value known = code.def->known;
    return known.is_none() ? e.call(code, frame) : known;
  }
  static Value let(Evaluator& e, const Code& code, Frame* frame) {
    return e.let(code, frame);
  }
  static Value sequence_op(Evaluator& e, const Code& code, Frame* frame) {
    return e.sequence_op(code, frame);
  }
  static Value operate(Evaluator& e, const Code& code, Frame* frame) {
    return e.operate(code, frame);
  }

  static Code::Run of_slot(const Code& code) {
    return code.hops == 0 ? slot : code.hops == 1 ? outer_slot : far_slot;
  }
  template <bool kIsIn>
  static Code::Run of_membership(const Code& code) {
    switch (code.kid(1).op) {
      case Op::Const:
      case Op::Variable:
      case Op::Primed:
      case Op::Slot:
      case Op::Apply:
      case Op::Field:
      case Op::Domain: return listed<kIsIn>;
      default: return membership<kIsIn>;
    }
  }
  /// What may be a function over an infinite set is left to unbuilt().
  static Code::Run of_apply(const Code& code) {
    switch (code.kid(0).op) {
      case Op::Function:
      case Op::FunctionDef:
      case Op::Except:
      case Op::Field: return operate;
      case Op::Slot: return apply_slot;
      default: return apply;
    }
  }
};

Code::Run Evaluator::Shapes::of(const Code& code) {
  return code.is_closed ? Forms::once : of_open(code);
}

Code::Run Evaluator::Shapes::of_open(const Code& code) {
  switch (code.op) {
    case Op::Const: return Forms::constant;
    case Op::Variable: return Forms::variable;
    case Op::Primed: return Forms::next;
    case Op::Slot: return Forms::of_slot(code);
    case Op::Call: return Forms::call;
    case Op::Let: return Forms::let;
    case Op::And: return Forms::conjunction;
    case Op::Or: return Forms::disjunction;
    case Op::Not: return Forms::negation;
    case Op::Implies: return Forms::implication;
    case Op::If: return Forms::choice;
    case Op::Forall: return Forms::quantifier<true>;
    case Op::Exists: return Forms::quantifier<false>;
    case Op::Equal: return Forms::equal;
    case Op::NotEqual: return Forms::different;
    case Op::In: return Forms::of_membership<true>(code);
    case Op::NotIn: return Forms::of_membership<false>(code);
    case Op::Add: return Forms::number<Op::Add>;
    case Op::Subtract: return Forms::number<Op::Subtract>;
    case Op::Less: return Forms::number<Op::Less>;
    case Op::LessEqual: return Forms::number<Op::LessEqual>;
    case Op::Greater: return Forms::number<Op::Greater>;
    case Op::GreaterEqual: return Forms::number<Op::GreaterEqual>;
    case Op::Apply: return Forms::of_apply(code);
    case Op::Field: return Forms::field;
    case Op::Except: return Forms::except;
    case Op::Len:
    case Op::Head:
    case Op::Tail:
    case Op::Append:
    case Op::Concat:
    case Op::SubSeq: return Forms::sequence_op;
    default: return Forms::rare;
  }
}

}  // namespace txscope::tla
