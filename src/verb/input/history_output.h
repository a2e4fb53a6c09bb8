#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/history.h"
#include "txscope/report.h"

namespace txscope::verb {

/// Where histories go.
struct HistorySink {
  std::string to;    ///< jsonl, edn, plume; empty: by the name of the file
  std::string file;  ///< named, not opened; empty: JSONL
  std::function<void(std::string_view)> write;
};

/// Gives the histories to be written, one after the other; nothing at the end.
using NextHistory = std::function<Result<std::optional<History>>()>;

/// Writes them; what gets lost is noted.
[[nodiscard]] Result<Done> write_histories(const HistorySink& sink,
                                           const NextHistory& next,
                                           Report& report);
[[nodiscard]] Result<Done> write_history(const HistorySink& sink,
                                         History history, Report& report);

}  // namespace txscope::verb
