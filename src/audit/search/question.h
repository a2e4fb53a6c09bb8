#pragma once

#include <optional>

#include "audit/rows/row_history.h"
#include "audit/rows/wanted_rows.h"
#include "audit/search/search.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::audit {

/// What is asked of one log at one level, and what the strategies find out on
/// the way, once for all of them.
class LogQuestion {
 public:
  LogQuestion(const LoadedLog& asked_of, const AuditLevel& at,
              const std::optional<FirstBad>& ended)
      : log(asked_of), level(at), stuck(ended) {}

  const LoadedLog& log;
  const AuditLevel& level;
  const std::optional<FirstBad>& stuck;

  [[nodiscard]] std::size_t size() const { return log.whole().txns.size(); }
  [[nodiscard]] bool is_read_committed() const {
    return level.rule == Rule::ReadCommitted;
  }
  /// Transactions are held against levels of their own.
  [[nodiscard]] bool has_own_levels() const;
  /// And these differ: what single rows tell is told for one level.
  [[nodiscard]] bool has_levels() const;
  /// The weakest of these: whatever explains each transaction at its own
  /// explains all of them at this one.  None: they cannot be compared.
  [[nodiscard]] std::optional<Rule> weakest_rule() const;

  const RowHistory& rows();
  const WantedRows& wanted();
  /// Of rows; none: they do not tell one.
  const History* history();
  /// On the history, which there must be.
  const Verdict& verdict(const Budget& budget);

 private:
  std::optional<RowHistory> rows_;
  std::optional<WantedRows> wanted_;
  std::optional<Result<History>> history_;
  std::optional<Verdict> verdict_;
};

}  // namespace txscope::audit
