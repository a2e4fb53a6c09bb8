#include "tla/evaluate/shapes.h"

#include "tla/evaluate/iteration.h"
#include "tla/evaluate/membership.h"
#include "tla/evaluate/remembering.h"
#include "tla/evaluate/sequence_operations.h"

namespace txscope::tla {
namespace {

/// Operands that need no call.
enum class Operand : std::uint8_t { Any, Const, Slot, Variable };

Operand operand_of(const Code& code) {
  if (code.is_closed) return Operand::Any;
  switch (code.op) {
    case Op::Const: return Operand::Const;
    case Op::Slot: return code.hops == 0 ? Operand::Slot : Operand::Any;
    case Op::Variable: return Operand::Variable;
    default: return Operand::Any;
  }
}

/// Of a form with two operands, the function for what these are.
template <template <Operand, Operand> class Form>
Code::Run of_operands(const Code& code) {
  const auto second = [&]<Operand kFirst>() -> Code::Run {
    switch (operand_of(code.kid(1))) {
      case Operand::Const: return Form<kFirst, Operand::Const>::run;
      case Operand::Slot: return Form<kFirst, Operand::Slot>::run;
      case Operand::Variable: return Form<kFirst, Operand::Variable>::run;
      case Operand::Any: break;
    }
    return Form<kFirst, Operand::Any>::run;
  };
  switch (operand_of(code.kid(0))) {
    case Operand::Const: return second.template operator()<Operand::Const>();
    case Operand::Slot: return second.template operator()<Operand::Slot>();
    case Operand::Variable:
      return second.template operator()<Operand::Variable>();
    case Operand::Any: break;
  }
  return second.template operator()<Operand::Any>();
}

/// What Evaluator::unbuilt() follows.
bool may_be_unbuilt(Op op) {
  return op == Op::Function || op == Op::FunctionDef || op == Op::Except ||
         op == Op::Slot || op == Op::Field;
}

/// Two sets that are listed, or two functions: equal only as words.
bool are_alike(Value a, Value b) {
  const NodeKind x = a.as_node()->kind;
  const NodeKind y = b.as_node()->kind;
  return x <= NodeKind::Sequence && y <= NodeKind::Sequence &&
         (x == NodeKind::Set) == (y == NodeKind::Set);
}

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
  static Value remembered(Evaluator& e, const Code& code, Frame* frame) {
    return Remembering::value_of(e, code, frame, Shapes::of_open(code));
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

  template <Operand kOperand>
  static Value operand(Evaluator& e, const Code& code, Frame* frame) {
    if constexpr (kOperand == Operand::Const) return code.value;
    if constexpr (kOperand == Operand::Slot) return slot(e, code, frame);
    if constexpr (kOperand == Operand::Variable)
      return variable(e, code, frame);
    return e.eval(code, frame);
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
    return Value::of_bool(Iteration::quantify(e, code, frame, kIsForall));
  }

  // Comparisons.
  template <bool kIsEqual>
  struct Equality {
    template <Operand kFirst, Operand kSecond>
    struct Form {
      static Value run(Evaluator& e, const Code& code, Frame* frame) {
        const Value a = operand<kFirst>(e, code.kid(0), frame);
        const Value b = operand<kSecond>(e, code.kid(1), frame);
        if (a == b) return Value::of_bool(kIsEqual);
        if (a.tag() == b.tag() && (!a.is_node() || are_alike(a, b)))
          return Value::of_bool(!kIsEqual);
        return Value::of_bool(e.equal(a, b, code) == kIsEqual);
      }
    };
  };
  template <bool kIsIn>
  static Value membership(Evaluator& e, const Code& code, Frame* frame) {
    const Value v = e.eval(code.kid(0), frame);
    return Value::of_bool(Membership::is_member(e, v, code.kid(1), frame) ==
                          kIsIn);
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
  struct Number {
    template <Operand kFirst, Operand kSecond>
    struct Form {
      static Value run(Evaluator& e, const Code& code, Frame* frame) {
        const Value a = operand<kFirst>(e, code.kid(0), frame);
        if (!a.is_int()) e.not_integer(code.kid(0), a);
        const Value b = operand<kSecond>(e, code.kid(1), frame);
        if (!b.is_int()) e.not_integer(code.kid(1), b);
        return of<kOp>(e, code, a.as_int(), b.as_int());
      }
    };
  };
  template <Op kOp>
  static Value of(Evaluator& e, const Code& code, std::int64_t a,
                  std::int64_t b) {
    if constexpr (kOp == Op::Less) return Value::of_bool(a < b);
    if constexpr (kOp == Op::LessEqual) return Value::of_bool(a <= b);
    if constexpr (kOp == Op::Greater) return Value::of_bool(a > b);
    if constexpr (kOp == Op::GreaterEqual) return Value::of_bool(a >= b);
    const std::int64_t result = kOp == Op::Add ? a + b : a - b;
    return is_small(result) ? Value::of_int(result) : e.too_large(code);
  }

  // Functions.
  template <Operand kFirst, Operand kSecond>
  struct Apply {
    static Value run(Evaluator& e, const Code& code, Frame* frame) {
      const Value f = operand<kFirst>(e, code.kid(0), frame);
      Value arg = operand<kSecond>(e, code.kid(1), frame);
      if (arg.is_node() && arg.as_node()->is_lazy())
        arg = e.settled(code.kid(1), frame);
      if (f.is_node() && f.as_node()->kind == NodeKind::Sequence &&
          arg.is_int()) {
        const auto at = static_cast<std::uint64_t>(arg.as_int()) - 1;
        if (at < f.as_node()->size) return f.as_node()->items[at];
      }
      return e.apply(f, arg, code);
    }
  };
  /// f may be a function over an infinite set, but not if it has a value.
  static Value apply_slot(Evaluator& e, const Code& code, Frame* frame) {
    const Code& name = code.kid(0);
    Frame* home = frame;
    for (std::uint32_t i = name.hops; i > 0; --i) home = home->up;
    const Value f = home->slots[name.index];
    if (f.tag() == Tag::Thunk) {
      const auto& thunk = *static_cast<const Thunk*>(f.pointer());
      if (thunk.value.is_none() && may_be_unbuilt(thunk.code->op))
        return e.compute(code, frame);
    }
    return Apply<Operand::Any, Operand::Any>::run(e, code, frame);
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
    return SequenceOperations::evaluate(e, code, frame);
  }
  static Value operate(Evaluator& e, const Code& code, Frame* frame) {
    return e.operate(code, frame);
  }

  // Sets.
  static Value choose(Evaluator& e, const Code& code, Frame* frame) {
    return Iteration::choose(e, code, frame);
  }
  static Value filter(Evaluator& e, const Code& code, Frame* frame) {
    return Iteration::filter(e, code, frame);
  }
  static Value map(Evaluator& e, const Code& code, Frame* frame) {
    return Iteration::map(e, code, frame);
  }
  static Value restricted(Evaluator& e, const Code& code, Frame* frame) {
    return Membership::restricted(e, code, frame);
  }
  static Value function(Evaluator& e, const Code& code, Frame* frame) {
    return Iteration::function(e, code, frame);
  }
  static Value fold(Evaluator& e, const Code& code, Frame* frame) {
    const Value set = e.value_of(frame->slots[code.kid(0).kid(0).index]);
    const NodeKind kind =
        set.is_node() ? set.as_node()->kind : NodeKind::Function;
    const bool is_listed = kind == NodeKind::Set || kind == NodeKind::Interval;
    // A recorder has to see the calls in it.
    return is_listed && e.recorder_ == nullptr ? Iteration::fold(e, code, frame)
                                               : choice(e, code, frame);
  }
  static Value cases(Evaluator& e, const Code& code, Frame* frame) {
    return e.case_of(code, frame);
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
    const Op function = code.kid(0).op;
    if (function == Op::Slot) return apply_slot;
    return may_be_unbuilt(function) ? operate : of_operands<Apply>(code);
  }
};

Code::Run Evaluator::Shapes::of(const Code& code) {
  if (code.is_closed) return Forms::once;
  return code.needs.empty() ? of_open(code) : Forms::remembered;
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
    case Op::If: return code.is_fold ? Forms::fold : Forms::choice;
    case Op::Forall: return Forms::quantifier<true>;
    case Op::Exists: return Forms::quantifier<false>;
    case Op::Equal: return of_operands<Forms::Equality<true>::Form>(code);
    case Op::NotEqual: return of_operands<Forms::Equality<false>::Form>(code);
    case Op::In: return Forms::of_membership<true>(code);
    case Op::NotIn: return Forms::of_membership<false>(code);
    case Op::Add: return of_operands<Forms::Number<Op::Add>::Form>(code);
    case Op::Subtract:
      return of_operands<Forms::Number<Op::Subtract>::Form>(code);
    case Op::Less: return of_operands<Forms::Number<Op::Less>::Form>(code);
    case Op::LessEqual:
      return of_operands<Forms::Number<Op::LessEqual>::Form>(code);
    case Op::Greater:
      return of_operands<Forms::Number<Op::Greater>::Form>(code);
    case Op::GreaterEqual:
      return of_operands<Forms::Number<Op::GreaterEqual>::Form>(code);
    case Op::Apply: return Forms::of_apply(code);
    case Op::Field: return Forms::field;
    case Op::Except: return Forms::except;
    case Op::Case: return Forms::cases;
    case Op::Choose: return Forms::choose;
    case Op::SetFilter: return Forms::filter;
    case Op::SetMap: return Forms::map;
    case Op::Function: return Forms::function;
    case Op::Cap:
    case Op::Minus: return Forms::restricted;
    case Op::Cup:
    case Op::SetEnum:
    case Op::Tuple:
    case Op::Record: return Forms::operate;
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
