#pragma once

#include <cstdint>
#include <vector>

#include "model/sql/statement_shape.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

/// Items of a list behind the first, which are to go: a range of the text.
struct Cut {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// Fills the shape of a statement whose text is there already, from its tree.
/// What it returns is to be cut out of the text before it is read again.
[[nodiscard]] std::vector<Cut> read_tree(const Tree& tree,
                                         StatementShape& shape);

}  // namespace txscope::sql
