#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// What is chosen by chance, and again alike.
struct Evaluator::Randomness {
  static Random draw(Evaluator& e, const Code& code, Value set);
  static Value sample(Evaluator& e, Value set, Random& random);
  static Value subset(Evaluator& e, const Code& code, Frame* frame);
  static Value subsets(Evaluator& e, const Code& code, Frame* frame);
};

}  // namespace txscope::tla
