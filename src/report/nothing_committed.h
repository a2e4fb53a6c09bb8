#pragma once

#include <cstdint>
#include <string>

namespace txscope::report {

/// What has to be said beside "holds" where nothing was judged; empty where
/// something committed.  `unknown`: transactions whose outcome nobody knows.
[[nodiscard]] inline std::string nothing_committed(std::uint64_t committed,
                                                   std::uint64_t unknown) {
  if (committed > 0) return "";
  return unknown > 0 ? "nothing is known to have committed"
                     : "nothing committed";
}

}  // namespace txscope::report
