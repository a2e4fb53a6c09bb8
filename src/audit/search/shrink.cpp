#include "audit/search/shrink.h"

#include <algorithm>

namespace txscope::audit {
namespace {

constexpr std::size_t kMostShrunk = 5000;  // transactions
constexpr std::uint64_t kMostTries = 20'000;
constexpr std::uint64_t kShrinkSteps = 500'000;

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

void shrink(const WholeLog& part, Found& found, const Refutes& refutes,
            const Budget& budget) {
  const std::vector<Txn>& txns = part.txns;
  if (found.tried.size() > kMostShrunk) return;
  const Budget effort = budget.at_most(kShrinkSteps);
  WholeLog rest = part;
  std::vector<bool> is_kept(txns.size(), false);
  for (const std::uint32_t t : found.tried) is_kept[t] = true;
  rest.transactions.clear();
  rest.transactions.reserve(txns.size());
  for (std::size_t t = 0; t < txns.size(); ++t) {
    rest.transactions.push_back(is_kept[t] ? *txns[t].log
                                           : forgotten(*txns[t].log));
    rest.txns[t].log = &rest.transactions[t];
  }
  const auto forget = [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      if (is_kept[t]) rest.transactions[t] = forgotten(*txns[t].log);
    const bool is_proof = refutes(rest, effort, found.first_bad);
    for (std::size_t t = begin; t < end; ++t)
      if (is_proof)
        is_kept[t] = false;
      else if (is_kept[t])
        rest.transactions[t] = *txns[t].log;
  };
  // Behind these nobody was tried, and what was shown to them is not asked.
  const std::size_t tried = found.tried.empty() ? 0 : found.tried.back() + 1;
  std::size_t size = tried;
  do {
    size = (size + 1) / 2;
    // What comes last is needed least.
    for (std::size_t end = tried; end > 0 && !effort.spent_now();) {
      const std::size_t begin = end - std::min(end, size);
      if (std::find(is_kept.begin() + static_cast<std::ptrdiff_t>(begin),
                    is_kept.begin() + static_cast<std::ptrdiff_t>(end),
                    true) != is_kept.begin() + static_cast<std::ptrdiff_t>(end))
        forget(begin, end);
      end = begin;
    }
  } while (size > 1);
  found.core.clear();
  for (std::size_t t = 0; t < txns.size(); ++t)
    if (is_kept[t]) found.core.push_back(txns[t].log->id);
}

void shrink(const LoadedLog& log, const WholeLog& part, const Tables& initial,
            const AuditLevel& level, Found& found, const Budget& budget) {
  const auto refutes = [&](const WholeLog& rest, const Budget& effort,
                           std::optional<FirstBad>& bad) {
    NextIds ids = log.new_ids();
    Found less = search(rest, initial, level, ids, effort, kMostTries);
    if (less.answer != Outcome::Violated || ids.has_guessed()) return false;
    bad = std::move(less.first_bad);
    return true;
  };
  shrink(part, found, refutes, budget);
}

}  // namespace txscope::audit
