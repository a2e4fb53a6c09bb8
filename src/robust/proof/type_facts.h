#pragma once

#include <vector>

#include "robust/proof/summary.h"

namespace txscope::robust {

/// What all transaction types together never do.
struct TypeFacts {
  /// `summaries`: by type, one or more of the same.
  TypeFacts(const sql::Schema& of,
            const std::vector<std::vector<Summary>>& summaries);

  const sql::Schema& schema;
  std::vector<bool> is_static;  ///< by table: no row comes or goes
  std::vector<bool> has_deletes;
  std::vector<std::vector<bool>> is_updated;  ///< by table and column

  [[nodiscard]] const std::vector<std::uint32_t>& key_of(TableId table) const;
};

}  // namespace txscope::robust
