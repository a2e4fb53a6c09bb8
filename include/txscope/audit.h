#pragma once

/// Did the database answer these SQL transactions correctly?
///
///     #include <txscope/audit.h>
///     using namespace txscope;
///
///     verb::AuditRequest request;
///     request.input = "log.jsonl";
///     auto report = verb::audit(request, Budget::unlimited());
#include <txscope/listener.h>
#include <txscope/write.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Did the database answer these SQL transactions correctly?
struct AuditRequest {
  std::string input;  ///< a log, which may be read twice
  std::string level;  ///< or all; empty: what the log claims
  std::string order;  ///< session or realtime; empty: by the level
  bool judge_aborted = false;
  bool skip_unsupported = false;
  bool evidence = false;  ///< JSON has the order that explains the log
  bool certify = false;
  /// Most steps for what one pass does not explain.
  std::optional<std::uint64_t> search_steps;
  std::string state;  ///< a file to continue from and to write; empty: none
  /// Least time between two writes of it while the log grows.
  std::chrono::milliseconds state_every{10'000};
  /// `start` and `commit` in the log are the database's own times.
  bool has_exact_times = false;
  /// The log is still written: it ends when this says so.  Empty: it does not
  /// grow.
  std::function<bool()> is_over;
  /// Told at once of what does not fit in a log that grows.
  std::function<void(const std::string& line)> on_notice;
  Listener listener;
};

/// One finding per level.
[[nodiscard]] Result<Report> audit(const AuditRequest& request,
                                   const Budget& budget);

}  // namespace txscope::verb
