#pragma once

#include <cstdint>
#include <span>

#include "model/sql/value/value.h"

namespace txscope::sql {

// Columns of rows that make a key.

/// Whether columns differ as SQL compares them (NULL does not differ from
/// NULL).
[[nodiscard]] bool differ(std::span<const std::uint32_t> columns, const Row& a,
                          const Row& b);
/// Whether two rows have the same values there; a NULL is equal to nothing.
[[nodiscard]] bool same_values(std::span<const std::uint32_t> columns,
                               const Row& a,
                               std::span<const std::uint32_t> other_columns,
                               const Row& b);
[[nodiscard]] bool has_null(std::span<const std::uint32_t> columns,
                            const Row& row);

}  // namespace txscope::sql
