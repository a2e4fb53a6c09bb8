#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// What was computed once for some values and is asked for again.
struct Evaluator::Remembering {
  /// A definition that reads nothing but its parameters, by their values.
  static Value call(Evaluator& e, const Code& code, Frame* frame,
                    const Def& def);
  /// Code that nothing but a few slots can change, by their values; else `run`.
  static Value value_of(Evaluator& e, const Code& code, Frame* frame,
                        Code::Run run);

 private:
  static CallMemo& memo_of(Evaluator& e, const Def& def);
  static bool fill_values(Evaluator& e, const Def& def,
                          std::span<const Code* const> kids, Frame* frame,
                          Value* slots, std::uint64_t* key);
  static bool values_of_needs(Evaluator& e, const Code& code,
                              const Frame* frame, std::uint64_t* key);
};

}  // namespace txscope::tla
