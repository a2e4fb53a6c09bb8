#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "audit/audit.h"

namespace txscope::report {

/// What `audit` says of a log, for people; `nothing`: why there was nothing to
/// explain, else empty.
[[nodiscard]] std::string audit_text(const audit::AuditReport& report,
                                     const sql::LogHeader& header,
                                     const std::string& input,
                                     const std::string& nothing);
/// One result per level.  `evidence`: with the commit order of what holds.
[[nodiscard]] nlohmann::ordered_json audit_json(
    const audit::AuditReport& report, double seconds, bool evidence);

}  // namespace txscope::report
