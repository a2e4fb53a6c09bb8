#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// Quantifiers, CHOOSE, and what constructs sets and functions: loops over the
/// elements of sets.
struct Evaluator::Iteration {
  static bool quantify(Evaluator& e, const Code& code, Frame* frame,
                       bool is_forall);
  static Value choose(Evaluator& e, const Code& code, Frame* frame);
  static Value filter(Evaluator& e, const Code& code, Frame* frame);
  static Value map(Evaluator& e, const Code& code, Frame* frame);
  static Value function(Evaluator& e, const Code& code, Frame* frame);
  /// A recursion over the elements of a set, one after the other.
  static Value fold(Evaluator& e, const Code& code, Frame* frame);
  template <class Visit>
  static bool for_all_choices(Evaluator& e, const Code& code, Frame* frame,
                              const Visit& visit);

 private:
  static Value filter_long(Evaluator& e, const Code& code, Value set,
                           Frame* frame);
  template <class Visit>
  static bool choices_from(Evaluator& e, const Code& code, Frame* frame,
                           std::size_t binder, const Value* sets,
                           const Visit& visit);
};

template <class Visit>
bool Evaluator::Iteration::choices_from(Evaluator& e, const Code& code,
                                        Frame* frame, std::size_t binder,
                                        const Value* sets, const Visit& visit) {
  if (binder == code.binders.size()) return visit();
  const Binder& b = code.binders[binder];
  return e.sets_.for_each(sets[b.same_set_as], [&](Value v) {
    e.assign(b, v, frame, code.spot);
    return choices_from(e, code, frame, binder + 1, sets, visit);
  });
}

/// Every assignment of elements to the variables that `code` binds.
template <class Visit>
bool Evaluator::Iteration::for_all_choices(Evaluator& e, const Code& code,
                                           Frame* frame, const Visit& visit) {
  const Mark mark(e);
  const std::size_t count = code.binders.size();
  Value* sets = e.push(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (code.binders[i].same_set_as != i) continue;
    e.at_ = &code;
    sets[i] = e.eval(*code.binders[i].set, frame);
    if (!sets[i].is_node() || sets[i].as_node()->is_function())
      e.fault(*code.binders[i].set, "expected a set, found " + brief(sets[i]));
  }
  e.at_ = &code;
  return choices_from(e, code, frame, 0, sets, visit);
}

}  // namespace txscope::tla
