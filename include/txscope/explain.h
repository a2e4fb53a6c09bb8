#pragma once

/// What a level, an anomaly or a term means:
///
///     #include <txscope/explain.h>
///     using namespace txscope;
///
///     auto report = verb::explain({"write-skew"});
///     std::cout << verb::text(*report);
#include <txscope/write.h>

#include <string>

#include "base/result.h"

namespace txscope::verb {

/// What does a level, anomaly or term mean?
struct ExplainRequest {
  std::string name;  ///< "write-skew"; empty: all names
};

[[nodiscard]] Result<Report> explain(const ExplainRequest& request);

}  // namespace txscope::verb
