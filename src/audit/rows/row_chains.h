#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/attempt/rule.h"
#include "audit/rows/row_versions.h"

namespace txscope::audit {

/// Transactions that lost an update among them.
struct LostUpdate {
  std::vector<std::uint32_t> txns;  ///< by number in the log, ascending
  std::string why;
};

/// Looks for lost updates where values do not tell versions apart.
///
/// Who reads a row and then writes it, at a level that forbids concurrent
/// writes of a row, has read the version right before its own: no two such
/// transactions have read the same one.  So of a column no more of them can
/// have seen a value than versions of the row had it, by the setup, by
/// transactions whose value is known, or, at worst, by those of which it is
/// not.
[[nodiscard]] std::optional<LostUpdate> find_lost_update(
    const LoadedLog& log, const RowVersions& rows, Rule rule);

}  // namespace txscope::audit
