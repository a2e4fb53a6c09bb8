// What an order and its end tell: places, times, the transaction that has none.

#include <algorithm>
#include <limits>
#include <utility>

#include "audit/search/search.h"

namespace txscope::audit {

using sql::LogStatus;

Placed make_placed(std::uint32_t txn, std::span<const Position> points,
                   Position snapshot, const SeenByStatement& seen) {
  const auto number = [&points](Position at) {
    return static_cast<std::uint32_t>(
        std::lower_bound(points.begin(), points.end(), at) - points.begin());
  };
  Placed result;
  result.txn = txn;
  result.snapshot = number(snapshot);
  result.chose = seen.chose;
  result.seen.reserve(seen.states.size());
  for (const Position at : seen.states)
    result.seen.push_back(at == kNow ? Placed::kMixed : number(at));
  for (const PickedRow& row : seen.rows)
    result.picked.push_back(
        {row.statement, row.table, row.key, row.is_absent, number(row.at)});
  return result;
}

std::optional<std::int64_t> committed_at(const sql::LogTransaction& t) {
  if (t.commit) return t.commit;
  // What nobody was told has no end.
  return t.status == LogStatus::Committed ? t.end : std::nullopt;
}

std::int64_t hint(const sql::LogTransaction& t) {
  // The server's clock is not quite the client's.
  if (t.commit && t.start && t.end && *t.start <= *t.end)
    return std::clamp(*t.commit, *t.start, *t.end);
  if (t.commit) return *t.commit;
  if (t.end) return *t.end;
  return std::numeric_limits<std::int64_t>::max();
}

FirstBad::Nearest nearest(const Txn& txn, const Mismatch& mismatch,
                          std::string after) {
  const bool is_commit = mismatch.statement >= txn.statements.size();
  return {std::move(after), is_commit ? 0 : mismatch.statement + 1,
          mismatch.expected, mismatch.why};
}

FirstBad first_bad(const Txn& txn, const std::optional<Mismatch>& mismatch) {
  FirstBad bad;
  bad.transaction = txn.log->id;
  bad.line = txn.log->line;
  if (!mismatch) return bad;
  if (mismatch->statement < txn.statements.size()) {
    const sql::LogStatement& s = txn.log->statements[mismatch->statement];
    bad.statement = mismatch->statement + 1;
    bad.sql = one_line(s.sql);
    bad.observed = describe(s);
    bad.expected = mismatch->expected;
  }
  bad.why = mismatch->why;
  return bad;
}

}  // namespace txscope::audit
