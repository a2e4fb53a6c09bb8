#pragma once

#include "tla/evaluate/evaluator_parts.h"

namespace txscope::tla {

/// Whether values are in sets, by the shapes of these: without building them.
struct Evaluator::Membership {
  static bool is_member(Evaluator& e, Value v, const Code& set, Frame* frame);
  static bool is_subset(Evaluator& e, const Code& code, Frame* frame);
  static Value restricted(Evaluator& e, const Code& code, Frame* frame);

 private:
  static bool of_shape(Evaluator& e, Value v, const Code& set, Frame* frame);
  static bool of_filter(Evaluator& e, Value v, const Code& set, Frame* frame);
  static bool has_domain(Evaluator& e, Value f, Value wanted, const Code& code);
};

}  // namespace txscope::tla
