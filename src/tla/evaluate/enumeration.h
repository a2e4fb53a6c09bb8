#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// Finds the states that a predicate or an action describes.  What is still to
/// be satisfied is kept aside, see Continuation.
struct Evaluator::Enumeration {
  static void run(Evaluator& e, const Code& code, Frame* frame,
                  Continuation* then);
  /// The conjunction of formulas with different frames.
  static void parts(Evaluator& e, std::span<const Formula> parts);
  static bool enabled(Evaluator& e, const Code& action, Frame* frame);
  static bool composed(Evaluator& e, const Code& code, Frame* frame);
  static std::int64_t stand_in(Evaluator& e, const Code& code);

 private:
  // enumeration.cpp: what is left, and logic
  static void resume(Evaluator& e, Continuation* then);
  static void conclude(Evaluator& e, Continuation* then);
  static bool holds_rest(Evaluator& e, const Continuation& then);
  static void emit(Evaluator& e);
  static void conjuncts(Evaluator& e, const Code& code, std::size_t from,
                        Frame* frame, Continuation* then);
  static void exists(Evaluator& e, const Code& code, Frame* frame,
                     Continuation* then);
  static void forall(Evaluator& e, const Code& code, Frame* frame,
                     Continuation* then);
  static Frame choice_frame(Evaluator& e, const Code& code, std::size_t& at,
                            Frame* frame, const std::vector<Value>& choices);
  static void choice(Evaluator& e, const Code& code, std::size_t from,
                     Frame* frame, const std::vector<Value>& choices,
                     Continuation* then);
  static void call(Evaluator& e, const Def& def, const Code& code, Frame* frame,
                   Frame* up, std::span<const Code* const> kids,
                   Continuation* then);
  static void named(Evaluator& e, const Code& code, Frame* frame,
                    Continuation* then);

  // next_values.cpp: variables get values
  static void assign_variable(Evaluator& e, std::uint32_t variable, Value v,
                              Continuation* then);
  static std::int64_t plain_variable(Evaluator& e, const Code& code,
                                     Frame* frame);
  static std::int64_t target_variable(Evaluator& e, const Code& code,
                                      Frame* frame);
  static void equal(Evaluator& e, const Code& code, Frame* frame,
                    Continuation* then);
  static void in(Evaluator& e, const Code& code, Frame* frame,
                 Continuation* then);
  static void subseteq(Evaluator& e, const Code& code, Frame* frame,
                       Continuation* then);
  static void unchanged(Evaluator& e, const Code& code, Frame* frame,
                        Continuation* then);
  static void unchanged_from(Evaluator& e, const Code& tuple, std::size_t from,
                             Frame* frame, Continuation* then);
  static bool keep_variables(Evaluator& e, const Code& tuple,
                             Continuation* then);

  // enabled.cpp, composition.cpp
  static bool may_change(Evaluator& e, const Code& code, Frame* frame);
  static void composed_step(Evaluator& e, const Code& code, Frame* frame,
                            Continuation* then);
  static std::vector<Value> intermediate_states(Evaluator& e, const Code& code,
                                                Frame* frame,
                                                const Value* given);
  static void go_to(Evaluator& e, const Value* now);
};

}  // namespace txscope::tla
