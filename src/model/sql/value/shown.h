#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/sql/application.h"

namespace txscope::sql {

/// A statement as an answer shows it: on one line, with the values of its
/// variables.
[[nodiscard]] std::string shown_statement(const Application& application,
                                          const DbStatement& statement,
                                          std::span<const Value> slots);

/// What a statement gave: its one value, its row, or how many rows.
[[nodiscard]] std::string shown_result(const DbStatement& statement,
                                       std::span<const Row> rows,
                                       std::uint64_t count);
/// The same of what `gives_rows` or only counts them.
[[nodiscard]] std::string shown_rows(bool gives_rows, std::span<const Row> rows,
                                     std::uint64_t count);

}  // namespace txscope::sql
