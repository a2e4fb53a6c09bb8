#include "tla/evaluate/evaluator_parts.h"

// A \cdot B: a step of A to some state, and one of B from there (Lamport,
// Specifying Systems, Section 16.2.3).  As in TLC, A has to give a value to
// each variable, but for those that the action around A \cdot B has given one,
// which neither A nor B is about; and the states between count as generated.
namespace txscope::tla {
/// Makes another state current.  What was remembered about a state at the same
/// place in memory is forgotten.
void Evaluator::go_to(const Value* now) {
  now_ = now;
  ++epoch_;
}

/// Where A leads to; variables that have a value in `given` keep their own.
std::vector<Value> Evaluator::intermediate_states(const Code& code,
                                                  Frame* frame,
                                                  const Value* given) {
  const std::size_t width = program_.variables().size();
  StateRows between(width);
  const Building building(*this, between, false, false);
  const StateScope scope(*this);
  const Mark mark(*this);
  next_ = building_;
  for (std::size_t i = 0; i < width && given != nullptr; ++i) {
    if (given[i].is_none()) continue;
    building_[i] = now_[i];
    --open_;
  }
  enumerate(code, frame, nullptr);
  return std::move(between.rows);
}

void Evaluator::enumerate_composed(const Code& code, Frame* frame,
                                   Continuation* then) {
  const std::size_t width = program_.variables().size();
  const Value* before = now_;
  const std::vector<Value> rows =
      intermediate_states(code.kid(0), frame, building_);
  sink_->passed(rows.size() / width);
  Continuation back{
      Continuation::Kind::State, nullptr, 0, nullptr, then, nullptr, before};
  for (std::size_t at = 0; at < rows.size() && !is_stopped_; at += width) {
    go_to(&rows[at]);
    enumerate(code.kid(1), frame, &back);
    go_to(before);
  }
}

bool Evaluator::composed(const Code& code, Frame* frame) {
  const std::size_t width = program_.variables().size();
  const StateScope scope(*this);
  const std::vector<Value> rows =
      intermediate_states(code.kid(0), frame, nullptr);
  is_provisional_ = true;
  bool holds = false;
  for (std::size_t at = 0; at < rows.size() && !holds; at += width) {
    go_to(&rows[at]);
    holds = truth(code.kid(1), frame);
  }
  ++epoch_;
  return holds;
}

}  // namespace txscope::tla
