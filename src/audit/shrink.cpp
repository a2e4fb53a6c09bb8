#include "audit/shrink.h"

#include <chrono>

namespace txscope::audit {
namespace {

constexpr std::size_t kMost = 24;  // transactions
constexpr std::chrono::milliseconds kTime{500};

sql::LogTransaction forgotten(sql::LogTransaction t) {
  t.status = sql::LogStatus::Unknown;
  t.end.reset();
  for (sql::LogStatement& s : t.statements) {
    s.rows.reset();
    s.count.reset();
  }
  return t;
}

}  // namespace

void shrink(const LoadedLog& log, const AuditLevel& level, Found& found,
            const Budget& budget) {
  const std::vector<Txn>& txns = log.whole().txns;
  if (txns.size() > kMost) return;
  const Budget part = budget.at_most(kTime);
  WholeLog rest = log.whole();
  std::vector<bool> is_kept(txns.size(), true);
  rest.transactions.clear();
  rest.transactions.reserve(txns.size());
  for (std::size_t t = 0; t < txns.size(); ++t) {
    rest.transactions.push_back(*txns[t].log);
    rest.txns[t].log = &rest.transactions[t];
  }
  for (std::size_t t = txns.size(); t-- > 0;) {
    rest.transactions[t] = forgotten(*txns[t].log);
    NextIds ids = log.new_ids();
    Found less = search(rest, log.initial(), level, ids, part);
    const bool is_proof =
        less.answer == Found::Answer::Violated && !ids.has_guessed();
    if (is_proof)
      found.first_bad = std::move(less.first_bad);
    else
      rest.transactions[t] = *txns[t].log;
    is_kept[t] = !is_proof;
  }
  found.core.clear();
  for (std::size_t t = 0; t < txns.size(); ++t)
    if (is_kept[t]) found.core.push_back(txns[t].log->id);
}

}  // namespace txscope::audit
