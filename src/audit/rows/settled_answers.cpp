#include "audit/rows/settled_answers.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "audit/attempt/attempt.h"
#include "model/sql/walk.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;

/// More statements than these are not run.
constexpr std::size_t kMostRuns = 20'000;

/// Whether an expression, and all in it, is over settled columns.
bool is_over(const std::vector<bool>& settled, const sql::Expr& e) {
  if (e.query != nullptr) return false;
  if (e.op == sql::Op::Column && (e.level != 0 || !settled[e.index]))
    return false;
  return std::all_of(e.args.begin(), e.args.end(), [&](const sql::Expr& arg) {
    return is_over(settled, arg);
  });
}

class SettledAnswers {
 public:
  SettledAnswers(const LoadedLog& log, const RowVersions& rows,
                 const Budget& budget)
      : log_(log), budget_(budget) {
    for (const sql::Table& table : log.initial().schema().tables)
      settled_.emplace_back(table.columns.size(), true);
    for (std::uint32_t t = 0; t < log.judged().size(); ++t)
      for (std::size_t k = 0; k < log.judged()[t].statements.size(); ++k)
        for (const RowAccess& access : rows.accesses(t, k)) note(access);
  }

  [[nodiscard]] std::optional<Impossible> find() {
    std::size_t runs = 0;
    for (std::uint32_t t = 0; t < log_.judged().size(); ++t) {
      const Txn& txn = log_.judged()[t];
      // One of unknown outcome need not be explained.
      if (!log_.must_explain(txn) || txn.log->status == LogStatus::Unknown)
        continue;
      for (std::size_t k = 0; k < txn.statements.size(); ++k) {
        if (!is_settled(txn, k)) continue;
        if (++runs > kMostRuns || budget_.spent()) return std::nullopt;
        auto expected = other_answer(txn, k);
        if (!expected) continue;
        Impossible found;
        found.txn = t;
        found.statement = k;
        found.why = "nobody writes what this answer is made of";
        found.expected = *std::move(expected);
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  void note(const RowAccess& access) {
    if (!is_wild(access.kind) && !is_write(access.kind)) return;
    std::vector<bool>& columns = settled_[access.table.index];
    const bool keeps_rows = access.kind == RowAccess::Kind::Update ||
                            access.kind == RowAccess::Kind::WildUpdate;
    if (!keeps_rows) columns.assign(columns.size(), false);
    for (const Change& change : access.changes) columns[change.column] = false;
  }

  [[nodiscard]] bool is_settled(const Txn& txn, std::size_t k) {
    const Prepared& prepared = *txn.statements[k];
    const sql::LogStatement& s = txn.log->statements[k];
    if (txn.is_opaque[k] || !prepared.is_select() || prepared.is_timed ||
        prepared.skips_locked() || !s.rows || s.error)
      return false;
    const auto [known, is_new] = is_known_.try_emplace(&prepared, false);
    if (is_new) known->second = is_settled(prepared);
    return known->second;
  }

  [[nodiscard]] bool is_settled(const Prepared& prepared) const {
    const sql::Query& q = prepared.query();
    if (!prepared.scans_once || q.relations.size() != 1 ||
        q.relations[0].table == kNone<TableId>)
      return false;
    const auto& columns = settled_[q.relations[0].table.index];
    // Whether it has rows at all is a question to the whole table.
    if (std::none_of(columns.begin(), columns.end(), [](bool b) { return b; }))
      return false;
    bool is = true;
    sql::for_each_part(
        q, [&](const sql::Expr& e) { is = is && is_over(columns, e); },
        [&](const sql::Query&) { is = false; });
    return is;
  }

  /// What the setup's state gives, unless it is what was observed.
  [[nodiscard]] std::optional<std::string> other_answer(const Txn& txn,
                                                        std::size_t k) const {
    sql::LogTransaction one;
    one.status = LogStatus::Aborted;
    one.statements = {txn.log->statements[k]};
    Txn alone;
    alone.log = &one;
    alone.statements = {txn.statements[k]};
    alone.is_opaque = {false};
    alone.is_idle = {false};
    NextIds ids = log_.new_ids();
    Attempts attempts(log_.initial(), Rule::Serializable, ids, budget_);
    attempts.tell_all();
    const Position points[] = {kSetup};
    const bool is_same =
        attempts.each(alone, points, [](Commit&) { return true; });
    if (is_same || attempts.gave_up() || budget_.spent_now() ||
        !attempts.mismatch() || ids.has_guessed() || ids.has_drawn())
      return std::nullopt;
    return attempts.mismatch()->expected;
  }

  const LoadedLog& log_;
  const Budget& budget_;
  /// By table and column; of a table whose rows come and go none is.
  std::vector<std::vector<bool>> settled_;
  std::unordered_map<const Prepared*, bool> is_known_;
};

}  // namespace

std::optional<Impossible> find_unsettled(const LoadedLog& log,
                                         const RowVersions& rows,
                                         const Budget& budget) {
  if (log.skipped() != 0) return std::nullopt;
  return SettledAnswers(log, rows, budget).find();
}

}  // namespace txscope::audit
