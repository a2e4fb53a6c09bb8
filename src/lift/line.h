#pragma once

#include <map>
#include <string>
#include <vector>

#include "lift/relevance.h"
#include "lift/templates.h"

namespace txscope::lift {

/// What stands in a slot instead of the log's literal.
struct Replacement {
  std::string text;
  bool is_value = false;  ///< a literal; else a name or expression of PL/pgSQL
};

/// Columns that a statement has to return, and the variables that take them.
using Needs = std::map<std::string, std::string>;

/// One statement of a procedure.
struct Line {
  std::string text;        ///< of PL/pgSQL, without its semicolon
  std::string fallback;    ///< what to write if nobody can follow `text`
  std::uint64_t line = 0;  ///< of the log
  bool is_write = false;
  bool ends_transaction = false;
};

/// The table of a template that a step is about.
[[nodiscard]] std::string main_table(const Template& of, std::size_t step,
                                     const Relevance& relevance);

/// What a statement asks of the rows of one table, as far as it is equalities:
/// by column, where the value stands among `replaced`.  What is joined with the
/// table has the same value.
[[nodiscard]] std::map<std::string, std::size_t> equalities(
    const sql::StatementShape& shape, const std::string& table,
    const Tables& tables);

/// Writes a step of a template as PL/pgSQL.  A read of one table keeps its
/// conditions and shows the columns that somebody changes; of a join only the
/// table at stake is left, with the equalities that are known of it.
[[nodiscard]] Line line_of(const Template& of, std::size_t step,
                           const std::vector<Replacement>& replaced,
                           const Needs& needs, const Tables& tables,
                           const Relevance& relevance);

}  // namespace txscope::lift
