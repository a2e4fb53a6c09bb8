#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// Functions that are applied without being built: f[x \in S] == e, by the
/// points that were asked for; [x \in S |-> e][y]; and functions over infinite
/// sets, which can be applied only.
struct Evaluator::DefinedFunctions {
  static Value value(Evaluator& e, const Code& code, Frame* frame);
  static Value apply(Evaluator& e, const Code& code, Frame* frame);
  static FunctionInstance& instance(Evaluator& e, const Code& code,
                                    Frame* frame);
  static void bind_point(Evaluator& e, FunctionInstance& f, Value arg,
                         Frame* inner, const Spot& spot);
  static Value apply_literal(Evaluator& e, const Code& code, Frame* frame);
  [[nodiscard]] static bool is_unbounded(Evaluator& e, const Code& constructor);
  static Unbuilt unbuilt(Evaluator& e, const Code& code, Frame* frame);
  static Value apply_unbuilt(Evaluator& e, const Unbuilt& f, Value arg,
                             const Code& code);
  static Value domain_of_unbuilt(Evaluator& e, const Unbuilt& f);

 private:
  static Value apply_instance(Evaluator& e, FunctionInstance& f, Value arg,
                              const Spot& spot);
  static Unbuilt unbuilt_field(Evaluator& e, const Code& code, Frame* frame);
  template <class IsIn>
  static void bind_parts(Evaluator& e, const Code& constructor, Value arg,
                         Frame* inner, const Spot& spot,
                         const std::string& name, const IsIn& is_in);
  static void make_current(Evaluator& e, FunctionInstance& f, const Def& def);
  static bool may_remember(Evaluator& e, FunctionInstance& f,
                           const Dependence& dependence);
};

}  // namespace txscope::tla
