#pragma once

#include <memory>

#include "base/budget.h"
#include "verify/program_question.h"
#include "verify/verify.h"

namespace txscope::verify {

[[nodiscard]] std::vector<InputValue> input_values(
    const ProgramQuestion& question, const smt::Model& model);

/// Makes an execution from a model: runs the transactions with the interpreter
/// of `explore`, in the model's order and with its sources, and asks `check`
/// whether the history has the level.  An Error says what did not fit: then
/// the model is not believed.
[[nodiscard]] Result<std::shared_ptr<const VerifiedExample>> confirm(
    const Program& program, const ProgramQuestion& question, std::size_t rule,
    Base level, const smt::Model& model, std::uint64_t loop_bound,
    const Budget& budget);

}  // namespace txscope::verify
