#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "exec/sql/memory_database.h"
#include "smt/model.h"
#include "verify/question.h"
#include "verify/sql/sql_summary.h"

namespace txscope::sql {

/// The question of an application, and what leads back to it.
struct SqlQuestion {
  Question question;
  /// Of every input: a column of a row, or an argument.
  struct Origin {
    std::optional<TableId> table;
    Row key;
    std::uint32_t column = 0;
    std::size_t session = 0;
    std::size_t call = 0;
    std::size_t argument = 0;
    SqlTerm value;
    std::string name;
  };
  std::vector<Origin> origins;
  std::size_t rows = 0;  ///< of the universe
};

/// Throws nothing.  An Error names what cannot be encoded, or what is wrong
/// with the application.
[[nodiscard]] Result<SqlQuestion> make_sql_question(
    const Application& application, std::uint64_t rounds, const Budget& budget);

/// The value of an input in a model.
[[nodiscard]] Value value_of(const SqlTerm& term, const smt::Model& model);

/// The application with the model's values instead of what is open.
[[nodiscard]] Application with_inputs(const Application& application,
                                      const SqlQuestion& question,
                                      const smt::Model& model);

}  // namespace txscope::sql
