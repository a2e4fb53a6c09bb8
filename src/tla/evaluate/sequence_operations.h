#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// The operators of the module Sequences; strings are sequences to some.
struct Evaluator::SequenceOperations {
  static Value evaluate(Evaluator& e, const Code& code, Frame* frame);

 private:
  static Value of_string(Evaluator& e, Value string, const Code& code,
                         Frame* frame);
  static std::pair<std::size_t, std::size_t> part(Evaluator& e,
                                                  const Code& code,
                                                  Frame* frame,
                                                  std::size_t length);
};

}  // namespace txscope::tla
