#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

template <class Visit>
bool Evaluator::choices_from(const Code& code, Frame* frame, std::size_t binder,
                             const Value* sets, const Visit& visit) {
  if (binder == code.binders.size()) return visit();
  const Binder& b = code.binders[binder];
  return sets_.for_each(sets[b.same_set_as], [&](Value v) {
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
