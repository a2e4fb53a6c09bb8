#include "tla/code/fold.h"

namespace txscope::tla {
namespace {

bool is_slot(const Code& code, std::uint32_t index) {
  return code.op == Op::Slot && code.hops == 0 && code.index == index;
}

bool is_empty_set(const Code& code) {
  if (code.op == Op::SetEnum) return code.count == 0;
  return code.op == Op::Const && code.value.is_node() &&
         code.value.as_node()->kind == NodeKind::Set &&
         code.value.as_node()->size == 0;
}

/// S = {}: the slot of S.
std::optional<std::uint32_t> asked_if_empty(const Code& code) {
  if (code.op != Op::Equal || code.kid(0).op != Op::Slot ||
      code.kid(0).hops != 0 || !is_empty_set(code.kid(1)))
    return std::nullopt;
  return code.kid(0).index;
}

/// x == CHOOSE x \in S : TRUE
bool is_any_element(const Code& code, std::uint32_t set) {
  return code.op == Op::Choose && code.binders.size() == 1 &&
         code.binders[0].tuple == 0 && is_slot(*code.binders[0].set, set) &&
         code.kid(0).op == Op::Const && code.kid(0).value == kTrue;
}

/// Op(.., S \ {x}, ..), with all other parameters as they are.
bool is_call_of_rest(const Code& call, const Code& body, const Fold& fold) {
  if (call.op != Op::Call || call.def->body != &body || call.def->native >= 0)
    return false;
  for (std::uint32_t i = 0; i < call.count; ++i) {
    const Code& argument = call.kid(i);
    if (i != fold.set) {
      if (!is_slot(argument, i)) return false;
    } else if (argument.op != Op::Minus || !is_slot(argument.kid(0), i) ||
               !is_singleton(argument.kid(1)) ||
               !is_slot(argument.kid(1).kid(0), fold.element)) {
      return false;
    }
  }
  return fold.set < call.count;
}

}  // namespace

std::optional<Fold> fold_of(const Code& code) {
  if (code.op != Op::If) return std::nullopt;
  const auto set = asked_if_empty(code.kid(0));
  const Code& let = code.kid(2);
  if (!set || let.op != Op::Let || let.lets.size() != 1 ||
      let.lets[0].function != nullptr ||
      !is_any_element(*let.lets[0].code, *set))
    return std::nullopt;
  const Code& sum = let.kid(0);
  if (sum.op != Op::Add) return std::nullopt;
  Fold fold;
  fold.set = *set;
  fold.element = let.lets[0].slot;
  fold.base = &code.kid(1);
  fold.is_term_first = is_call_of_rest(sum.kid(1), code, fold);
  if (!fold.is_term_first && !is_call_of_rest(sum.kid(0), code, fold))
    return std::nullopt;
  fold.term = &sum.kid(fold.is_term_first ? 0 : 1);
  fold.rest = &sum.kid(fold.is_term_first ? 1 : 0);
  return fold;
}

}  // namespace txscope::tla
