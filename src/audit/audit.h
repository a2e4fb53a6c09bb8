#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/rule.h"
#include "audit/saved_state.h"
#include "audit/search.h"
#include "base/budget.h"
#include "model/sql/log.h"

namespace txscope::audit {

/// A log as the auditor wants it.
struct LogInput {
  const sql::LogHeader* header = nullptr;
  const sql::Application* setup = nullptr;
  sql::ReadStatementFn read;
  /// The next transaction; none at the end.
  std::function<Result<std::optional<sql::LogTransaction>>()> next;
  /// Starts again at the first transaction; none: it cannot be read twice.
  std::function<Result<Done>()> again;
  std::string file;
};

struct AuditOptions {
  bool judge_aborted = false;
  /// What the dialect does not have is not judged, nor what it touches.
  bool skip_unsupported = false;
  /// Transactions that have a level of their own in the log are held against
  /// that, not against the one that is asked for.
  bool own_levels = false;
  /// Keep the order that explains the log.
  bool evidence = false;
  /// Run what holds again, in the order that explains it.
  bool certify = false;
  /// How long at most to look for what one pass does not explain.
  std::optional<std::chrono::milliseconds> search_time;
  /// Go on from here; the log must be the same.
  const SavedState* from = nullptr;
  /// Where the audit stands at the end, for the levels that explain the log so
  /// far; none: nobody asks.
  SavedState* to = nullptr;
};

/// The verdict on one level.
struct AuditResult {
  AuditLevel level;
  Found found;
  std::vector<std::string> ids;  ///< by number, for Found::order
  /// What was done to certify it, or why nothing was.
  std::string certified;
};

struct AuditReport {
  std::vector<AuditResult> results;
  std::uint64_t transactions = 0;
  std::uint64_t statements = 0;
  std::uint64_t aborted = 0;
  std::uint64_t unknown = 0;
  std::uint64_t skipped = 0;     ///< statements that were not judged
  std::uint64_t own_levels = 0;  ///< transactions held against their own
  bool is_cut = false;           ///< the log ends in the middle of a line
};

/// Holds a log against levels.
[[nodiscard]] Result<AuditReport> audit(const LogInput& input,
                                        const std::vector<AuditLevel>& levels,
                                        const AuditOptions& options,
                                        const Budget& budget);

}  // namespace txscope::audit
