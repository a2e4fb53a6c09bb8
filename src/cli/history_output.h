#pragma once

#include <functional>

#include "base/result.h"
#include "cli/options.h"
#include "model/history.h"

namespace txscope::cli {

/// Gives the histories to be written, one after the other; nothing at the end.
using NextHistory = std::function<Result<std::optional<History>>()>;

/// Writes histories in the format that `--to` or the extension of `-o` names
/// (JSONL if neither does); what gets lost is told on standard error.
[[nodiscard]] Result<Done> write_histories(const Options& options,
                                           const NextHistory& next);

}  // namespace txscope::cli
