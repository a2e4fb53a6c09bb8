#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "exec/sql/memory/database.h"
#include "smt/model.h"
#include "symbolic/routine/summary.h"
#include "verify/question.h"

namespace txscope::verify {

/// The question of an application, and what leads back to it.
struct SqlQuestion {
  Question question;
  /// Of every input: a column of a row, or an argument.
  struct Origin {
    std::optional<TableId> table;
    sql::Row key;
    std::uint32_t column = 0;
    std::size_t session = 0;
    std::size_t call = 0;
    std::size_t argument = 0;
    symbolic::SqlTerm value;
    sql::TypeName type = sql::TypeName::Integer;
    std::string name;
  };
  std::vector<Origin> origins;
  symbolic::TextOrder texts;      ///< that the program has
  symbolic::TextLengths lengths;  ///< of texts that are open
  std::size_t rows = 0;           ///< of the universe
  /// Integers among the keys of the setup.
  std::vector<std::int64_t> keys;
  /// Whatever an engine does is among the executions, if it was asked for.
  bool is_covered = true;
};

/// What the executions have to include.
struct SqlExecutions {
  std::uint64_t rounds = 8;   ///< of loops whose end depends on inputs
  bool is_unbounded = false;  ///< integers never overflow
  /// By call, session after session: an engine may let it fail, whatever it
  /// does, as long as others that may fail do not.  Empty: none fails.
  std::vector<bool> may_fail;
  /// Statements have snapshots of their own (SqlSummaryOptions::rereads).
  bool rereads = false;
  /// It matters who read what (SqlSummaryOptions::has_exact_reads).
  bool has_exact_reads = false;
  /// Rows that are written or locked stay until the end (encoding.h, pins).
  bool has_locks = false;
};

/// Throws nothing.  An Error names what cannot be encoded, or what is wrong
/// with the application.
[[nodiscard]] Result<SqlQuestion> make_sql_question(
    const sql::Application& application, const SqlExecutions& executions,
    const Budget& budget);

/// Inputs and assumptions alone: there are no executions and no rules.
[[nodiscard]] Result<SqlQuestion> make_sql_inputs(
    const sql::Application& application, const Budget& budget);

}  // namespace txscope::verify
