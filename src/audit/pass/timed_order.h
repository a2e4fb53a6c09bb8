#pragma once

#include <optional>
#include <vector>

#include "audit/rows/wanted_rows.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Looks for an order that explains a log, among those that its times allow:
/// each transaction commits between the answer to its last statement and its
/// end, and sees nothing older than what had ended before it began.  Logs of
/// real databases have such an order, except where a serializable one need not
/// be that of the commits.  Nothing: none was found with so many tries, which
/// proves nothing.
///
/// Method.  Depth first, by the hints of times.  Where nobody can be next,
/// those that wrote what the candidates looked at are to blame: the last of
/// them is where it goes on (conflict-directed backjumping), however many
/// others have found their places since.  Of the ways in which one can have
/// written, those come first that leave what somebody has seen.
struct TimedSearch {
  std::uint64_t most_tries = 0;
  /// Those that wrote are in the order of their commits; what is open is what
  /// they saw.  Many clients on few rows, whose writes nobody shows, leave much
  /// of that.
  bool keeps_order = false;
};
[[nodiscard]] std::optional<std::vector<Placed>> order_by_times(
    const WholeLog& log, const Tables& initial, const AuditLevel& level,
    GeneratedIds& ids, const Budget& budget, const WantedRows& wanted,
    const TimedSearch& search);

}  // namespace txscope::audit
