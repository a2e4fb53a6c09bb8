#pragma once

#include <vector>

#include "base/budget.h"
#include "model/program.h"
#include "smt/model.h"
#include "verify/question.h"
#include "verify/summary.h"

namespace txscope::verify {

/// The question of a `.txn` program, and what leads back to the program.
struct ProgramQuestion {
  Question question;
  /// By transaction, from 0; numbered session by session.
  std::vector<Summary> summaries;
  /// Of every `?`: a row of a table, or an argument.
  struct Origin {
    std::optional<TableId> table;
    std::size_t row = 0;
    std::size_t session = 0;
    std::size_t call = 0;
    std::size_t argument = 0;
  };
  std::vector<Origin> origins;                        ///< of Question::inputs
  std::vector<std::optional<PropertyId>> properties;  ///< of Question::rules
};

/// Transactions are unrolled as `options` say.  An Error is a program that is
/// too large.
[[nodiscard]] Result<ProgramQuestion> make_question(
    const Program& program, const SummaryOptions& options,
    const Budget& budget);

/// The program with the model's values instead of `?`.
[[nodiscard]] Program with_inputs(const Program& program,
                                  const ProgramQuestion& question,
                                  const smt::Model& model);

/// The first top-level `assume` that a program without `?` does not satisfy.
[[nodiscard]] std::optional<Error> failed_assumption(const Program& program);

}  // namespace txscope::verify
