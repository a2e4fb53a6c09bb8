#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyze/arguments/variable_origin.h"
#include "model/sql/application.h"

namespace txscope::analyze {

// Rules over tables as properties of an application, named as people would say
// them: "item.stock >= 0".

/// Rows of a table by the constants that some of their columns have.
struct RowsOf {
  TableId table;
  std::vector<std::pair<std::uint32_t, sql::Value>> fixed;
};

/// No row has less than 0 there.
[[nodiscard]] sql::Property never_negative(const sql::Schema& schema,
                                           ColumnRef column);
/// In no row a column passes another one of the same table and type.
[[nodiscard]] sql::Property at_most_column(const sql::Schema& schema,
                                           ColumnRef column,
                                           std::uint32_t limit);
/// So many rows have the same values in these columns, at most; NULLs are not
/// the same.  Without columns: so many rows there are.
[[nodiscard]] sql::Property at_most_rows(const sql::Schema& schema,
                                         const RowsOf& rows,
                                         std::vector<std::uint32_t> columns,
                                         std::int64_t most);
/// For each row of the parent there are so many rows that name it as one of its
/// columns says.
[[nodiscard]] sql::Property at_most_of_parent(const sql::Schema& schema,
                                              const RowsOf& rows,
                                              std::uint32_t column,
                                              ColumnRef parent_key,
                                              std::uint32_t limit);

/// A column's sum over all rows, or how many rows there are.
struct Total {
  TableId table;
  std::int64_t column = -1;  ///< -1: the rows
  friend auto operator<=>(const Total&, const Total&) = default;
};
/// The first plus or minus the second total: to be asked for its value.
[[nodiscard]] sql::Property sum_of_totals(const sql::Schema& schema,
                                          const Total& first, char sign,
                                          const Total* second);
/// It has that value.
[[nodiscard]] sql::Property kept_at(const sql::Property& sum,
                                    const sql::Value& value);

}  // namespace txscope::analyze
