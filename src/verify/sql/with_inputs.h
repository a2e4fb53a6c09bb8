#pragma once

#include "verify/sql/sql_question.h"
#include "verify/verify.h"

namespace txscope::verify {

/// The value of an input in a model.
[[nodiscard]] sql::Value value_of(const SqlQuestion& question,
                                  const SqlQuestion::Origin& input,
                                  const smt::Model& model);

/// All inputs of a model, as people write them.
[[nodiscard]] std::vector<InputValue> input_values(const SqlQuestion& question,
                                                   const smt::Model& model);

/// Whether something is open: `?`, or a column.
[[nodiscard]] bool has_open_inputs(const sql::Application& application);

/// The application with the model's values instead of what is open.
[[nodiscard]] sql::Application with_inputs(const sql::Application& application,
                                           const SqlQuestion& question,
                                           const smt::Model& model);

/// Some input is another one than in the model.
[[nodiscard]] smt::Term other_inputs(const SqlQuestion& question,
                                     const smt::Model& model);

}  // namespace txscope::verify
