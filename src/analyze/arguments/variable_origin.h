#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "model/sql/routine.h"

namespace txscope::analyze {

struct ColumnRef {
  TableId table;
  std::uint32_t column = 0;
  friend auto operator<=>(const ColumnRef&, const ColumnRef&) = default;
};

[[nodiscard]] const sql::Expr& without_casts(const sql::Expr& e);

/// The column of a table in FROM that an expression of a query is.
[[nodiscard]] std::optional<ColumnRef> column_of(const sql::Expr& e,
                                                 const sql::Query& query);

/// What a routine's variables are filled with by a SELECT, by slot.
struct VariableOrigins {
  std::map<std::uint32_t, ColumnRef> columns;
  /// The query that reads such a column, or counts rows.
  std::map<std::uint32_t, const sql::Query*> queries;
};
[[nodiscard]] VariableOrigins variable_origins(const sql::Routine& routine);

}  // namespace txscope::analyze
