#pragma once

#include <string>

#include "base/result.h"
#include "verb/report.h"

namespace txscope::verb {

/// What does a level, anomaly or term mean?
struct ExplainRequest {
  std::string name;  ///< "write-skew"; empty: all names
};

[[nodiscard]] Result<Report> explain(const ExplainRequest& request);

}  // namespace txscope::verb
