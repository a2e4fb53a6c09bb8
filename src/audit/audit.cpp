#include "audit/audit.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "audit/load.h"
#include "audit/search.h"

namespace txscope::audit {

Result<AuditReport> audit(const LogInput& input,
                          const std::vector<AuditLevel>& levels,
                          const AuditOptions& options, const Budget& budget) {
  AuditReport report;
  auto loaded = LoadedLog::load(input, options, budget);
  if (!loaded) return loaded.error();
  LoadedLog& log = **loaded;
  report.transactions = log.whole().txns.size();
  report.statements = log.statements();
  report.skipped = log.skipped();
  for (const sql::LogTransaction& t : log.whole().transactions) {
    report.aborted += t.status == sql::LogStatus::Aborted ? 1 : 0;
    report.unknown += t.status == sql::LogStatus::Unknown ? 1 : 0;
  }
  for (const Txn& txn : log.whole().txns) report.ids.push_back(txn.log->id);
  for (const AuditLevel& level : levels) {
    AuditResult result;
    result.level = level;
    auto ids = log.new_ids();
    result.found = search(log.whole(), log.initial(), level, ids, budget);
    if (result.found.answer == Found::Answer::Violated && ids.has_guessed()) {
      result.found.answer = Found::Answer::Undecided;
      result.found.reason = "ids that the database generated were not observed";
    }
    report.results.push_back(std::move(result));
  }
  return report;
}

}  // namespace txscope::audit
