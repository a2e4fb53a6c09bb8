#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// What the modules that come along are made of.
struct Evaluator::LibraryOperations {
  static Value evaluate(Evaluator& e, const Code& code, Frame* frame);

 private:
  static Value fold(Evaluator& e, const Code& code, Frame* frame, Library way);
};

}  // namespace txscope::tla
