#pragma once

#include "txscope/record.h"

namespace txscope::verb {

/// `record` of what passes.
[[nodiscard]] Result<Report> record_proxy(const RecordRequest& request,
                                          const Budget& budget);

}  // namespace txscope::verb
