#include "tla/evaluate/enumeration.h"

// A \cdot B: a step of A to some state, and one of B from there (Lamport,
// Specifying Systems, Section 16.2.3).  As in TLC, A has to give a value to
// each variable, but for those that the action around A \cdot B has given one,
// which neither A nor B is about; and the states between count as generated.
namespace txscope::tla {
/// Makes another state current.  What was remembered about a state at the same
/// place in memory is forgotten.
void Evaluator::Enumeration::go_to(Evaluator& e, const Value* now) {
  e.now_ = now;
  ++e.epoch_;
}

/// Where A leads to; variables that have a value in `given` keep their own.
std::vector<Value> Evaluator::Enumeration::intermediate_states(
    Evaluator& e, const Code& code, Frame* frame, const Value* given) {
  const std::size_t width = e.program_.variables().size();
  StateRows between(width);
  const Building building(e, between, false, false);
  const StateScope scope(e);
  const Mark mark(e);
  e.next_ = e.building_;
  for (std::size_t i = 0; i < width && given != nullptr; ++i) {
    if (given[i].is_none()) continue;
    e.building_[i] = e.now_[i];
    --e.open_;
  }
  run(e, code, frame, nullptr);
  return std::move(between.rows);
}

void Evaluator::Enumeration::composed_step(Evaluator& e, const Code& code,
                                           Frame* frame, Continuation* then) {
  const std::size_t width = e.program_.variables().size();
  const Value* before = e.now_;
  const std::vector<Value> rows =
      intermediate_states(e, code.kid(0), frame, e.building_);
  e.sink_->passed(rows.size() / width);
  Continuation back{
      Continuation::Kind::State, nullptr, 0, nullptr, then, nullptr, before};
  for (std::size_t at = 0; at < rows.size() && !e.is_stopped_; at += width) {
    go_to(e, &rows[at]);
    run(e, code.kid(1), frame, &back);
    go_to(e, before);
  }
}

bool Evaluator::Enumeration::composed(Evaluator& e, const Code& code,
                                      Frame* frame) {
  const std::size_t width = e.program_.variables().size();
  const StateScope scope(e);
  const std::vector<Value> rows =
      intermediate_states(e, code.kid(0), frame, nullptr);
  e.is_provisional_ = true;
  bool holds = false;
  for (std::size_t at = 0; at < rows.size() && !holds; at += width) {
    go_to(e, &rows[at]);
    holds = e.truth(code.kid(1), frame);
  }
  ++e.epoch_;
  return holds;
}

}  // namespace txscope::tla
