#pragma once

#include "tla/evaluator_parts.h"

namespace txscope::tla {

/// Calls visit(element) in ascending order until it says false; true if it
/// never did.
template <class Visit>
bool Evaluator::for_each(Value set, const Visit& visit) {
  if (set.is_node() && set.as_node()->kind == NodeKind::Interval) {
    const Node& range = *set.as_node();
    const std::int64_t last = range.items[1].as_int();
    for (std::int64_t i = range.items[0].as_int(); i <= last; ++i) {
      tick();
      if (!visit(Value::of_int(i))) return false;
    }
    return true;
  }
  const Node& node = sets_.elements(set);
  for (std::uint32_t i = 0; i < node.size; ++i) {
    tick();
    if (!visit(node.items[i])) return false;
  }
  return true;
}

template <class Visit>
bool Evaluator::choices_from(const Code& code, Frame* frame, std::size_t binder,
                             const Value* sets, const Visit& visit) {
  if (binder == code.binders.size()) return visit();
  const Binder& b = code.binders[binder];
  return for_each(sets[b.same_set_as], [&](Value v) {
    assign(b, v, frame, code.spot);
    return choices_from(code, frame, binder + 1, sets, visit);
  });
}

/// Every assignment of elements to the variables that `code` binds.
template <class Visit>
bool Evaluator::for_all_choices(const Code& code, Frame* frame,
                                const Visit& visit) {
  const Mark mark(*this);
  const std::size_t count = code.binders.size();
  Value* sets = push(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (code.binders[i].same_set_as != i) continue;
    at_ = &code;
    sets[i] = eval(*code.binders[i].set, frame);
    if (!sets[i].is_node() || sets[i].as_node()->is_function())
      fault(*code.binders[i].set, "expected a set, found " + brief(sets[i]));
  }
  at_ = &code;
  return choices_from(code, frame, 0, sets, visit);
}

}  // namespace txscope::tla
