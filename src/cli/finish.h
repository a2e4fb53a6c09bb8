#pragma once

#include "base/result.h"
#include "cli/listening.h"
#include "cli/options.h"
#include "txscope/report.h"

namespace txscope::cli {

/// Writes a verb's report where the call wants it, or tells its error; returns
/// the exit status.
int finish(const Options& options, Listening& listening,
           Result<verb::Report> report);

}  // namespace txscope::cli
