#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// How code is evaluated: one function for each operator, or for an operator
/// whose operands are of a frequent kind.  Code is asked for its shape once,
/// when it is first evaluated, and calls that function from then on; so there
/// is neither a switch nor a large frame on the way to an operator.
struct Evaluator::Shapes {
  /// Of closed code: once(); of what is nearly closed: remembered().
  [[nodiscard]] static Code::Run of(const Code& code);
  /// The same as if it were neither.
  [[nodiscard]] static Code::Run of_open(const Code& code);
};

}  // namespace txscope::tla
