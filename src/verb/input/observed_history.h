#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "read/histories/history_source.h"
#include "txscope/history.h"

namespace txscope::verb {

/// A caller's own values, read as a file would be; `name` stands for it in
/// messages.
[[nodiscard]] Result<std::unique_ptr<read::HistorySource>> open_observed(
    const std::string& name, const observed::History& values,
    bool judge_aborted);

}  // namespace txscope::verb
