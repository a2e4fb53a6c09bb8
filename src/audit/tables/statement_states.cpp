#include "audit/tables/statement_states.h"

#include <algorithm>

namespace txscope::audit {

std::string StatementStates::see(std::uint32_t state, bool is_plain) {
  if (rule_ == Rule::ReadCommitted) return {};
  const bool has_view =
      rule_ == Rule::MariadbRepeatableRead || rule_ == Rule::MariadbSnapshot;
  if (has_view && is_plain && read_view_)
    return state == *read_view_ ? std::string()
                                : "leaves the read view that it has made";
  if (state < low_) return "sees less than before";
  low_ = state;
  if (has_view && is_plain) read_view_ = state;
  return {};
}

void StatementStates::wait_for(std::uint32_t state) {
  low_ = std::max(low_, state);
}

}  // namespace txscope::audit
