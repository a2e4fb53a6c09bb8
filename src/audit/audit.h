#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/attempt/rule.h"
#include "audit/pass/saved_state.h"
#include "audit/search/search.h"
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
  /// What has been read so far, the header included, in a few digits: the same
  /// for the same text only.  None: nobody asks for a state.
  std::function<std::string()> digest;
  std::string file;
};

struct AuditResult;

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
  /// How much effort to spend at most on what one pass does not explain.
  std::optional<std::uint64_t> search_steps;
  /// A level is decided; what comes afterwards may only doubt it.
  std::function<void(const AuditResult&)> on_verdict;
  /// One pass does not explain this transaction at that level; whether another
  /// order does is looked at when the pass is over.
  std::function<void(const std::string& level, const FirstBad&)> on_stuck;
  /// Go on from here; the log must be the same.
  const SavedState* from = nullptr;
  /// Where the audit stands at the end, for the levels that explain the log so
  /// far; none: nobody asks.
  SavedState* to = nullptr;
  /// Asked after every transaction whether somebody wants to know where the
  /// audit stands, and told that then; only while every level explains all so
  /// far.  None: nobody asks.
  std::function<bool()> wants_state;
  std::function<Result<Done>(const SavedState&)> keep_state;
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
  std::uint64_t skipped = 0;  ///< statements that were not understood
  /// These, and those that look at what they may have written.
  std::uint64_t not_judged = 0;
  std::uint64_t judged = 0;      ///< answers that were held against a state
  std::uint64_t own_levels = 0;  ///< transactions held against their own
  bool is_cut = false;           ///< the log ends in the middle of a line
  /// By table, where something cannot be explained.
  std::map<std::string, std::vector<std::string>> columns;
};

/// Holds a log against levels.
[[nodiscard]] Result<AuditReport> audit(const LogInput& input,
                                        const std::vector<AuditLevel>& levels,
                                        const AuditOptions& options,
                                        const Budget& budget);

}  // namespace txscope::audit
