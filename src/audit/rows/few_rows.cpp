#include "audit/rows/few_rows.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "audit/rows/reachable_versions.h"
#include "audit/search/shrink.h"

namespace txscope::audit {
namespace {

/// So many transactions are searched together at most.
constexpr std::size_t kMostTxns = 1500;
/// So many rows together.
constexpr std::size_t kMostRows = 4;
/// How often transactions are tried: at first, and once all rows were looked at
/// with the first of those that took more.
constexpr std::uint64_t kFirstTries = 2'000;
constexpr std::uint64_t kMoreTries = 100'000;
constexpr std::size_t kMostAgain = 16;
/// How often statements are run to find all versions of a set of rows, and of
/// all sets.
constexpr std::uint64_t kMostRunsOfSet = 100'000;
constexpr std::uint64_t kMostRunsOfSets = 400'000;

/// Whether what explains a transaction explains it without some of its
/// statements, too: not where the first that reads makes a view for all that
/// follow.
bool can_leave_out(Rule rule) {
  return rule != Rule::ReadCommitted && rule != Rule::MariadbRepeatableRead &&
         rule != Rule::MariadbSnapshot;
}

}  // namespace

FewRows::FewRows(const LoadedLog& log)
    : log_(log),
      numbers_(log.initial().schema().tables.size()),
      mentions_(log.whole().txns.size()),
      is_wild_(numbers_.size(), false) {
  // A child's parent is a row of another table.
  for (std::size_t t = 0; t < numbers_.size(); ++t)
    is_wild_[t] = !log.initial().schema().tables[t].foreign.empty();
  for (std::uint32_t t = 0; t < mentions_.size(); ++t) add(t);
}

void FewRows::add(std::uint32_t t) {
  const Txn& txn = log_.whole().txns[t];
  const sql::Schema& schema = log_.initial().schema();
  for (std::uint32_t k = 0; k < txn.statements.size(); ++k) {
    const Prepared& prepared = *txn.statements[k];
    const sql::LogStatement& s = txn.log->statements[k];
    if (!prepared.runs() || txn.is_opaque[k] || s.error) continue;
    if (prepared.runs_routines()) {
      is_wild_.assign(is_wild_.size(), true);
      continue;
    }
    const auto named = named_rows(schema, prepared, s);
    if (!named) {
      if (!prepared.is_select())
        is_wild_[prepared.statement->target()->table.index] = true;
      continue;
    }
    Mention mention{k, named->is_write, {}};
    for (const sql::Row& key : named->keys) {
      const auto [found, is_new] = numbers_[named->table.index].try_emplace(
          key, static_cast<std::uint32_t>(rows_.size()));
      if (is_new) rows_.push_back({named->table, key, {}});
      mention.rows.push_back(found->second);
      auto& txns = rows_[found->second].txns;
      if (txns.empty() || txns.back() != t) txns.push_back(t);
    }
    std::sort(mention.rows.begin(), mention.rows.end());
    mentions_[t].push_back(std::move(mention));
  }
}

FewRows::Rows FewRows::rows_of(std::uint32_t t) const {
  std::set<std::uint32_t> rows;
  for (const Mention& mention : mentions_[t])
    rows.insert(mention.rows.begin(), mention.rows.end());
  return Rows(rows.begin(), rows.end());
}

std::optional<WholeLog> FewRows::part(const Rows& rows) const {
  std::set<std::uint32_t> txns;
  for (const std::uint32_t row : rows) {
    if (is_wild_[rows_[row].table.index]) return std::nullopt;
    txns.insert(rows_[row].txns.begin(), rows_[row].txns.end());
    if (txns.size() > kMostTxns) return std::nullopt;
  }
  WholeLog part;
  part.sessions = log_.whole().sessions;
  for (const std::uint32_t t : txns) {
    Txn txn = log_.whole().txns[t];
    std::vector<bool> is_named(txn.statements.size(), false);
    for (const Mention& mention : mentions_[t]) {
      const bool is_inside = std::includes(
          rows.begin(), rows.end(), mention.rows.begin(), mention.rows.end());
      const bool is_met =
          is_inside ||
          std::any_of(
              mention.rows.begin(), mention.rows.end(), [&](std::uint32_t row) {
                return std::binary_search(rows.begin(), rows.end(), row);
              });
      if (is_met && !is_inside && mention.is_write) return std::nullopt;
      is_named[mention.statement] = is_inside;
    }
    bool is_any = false;
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (!txn.statements[k]->runs()) continue;
      txn.is_opaque[k] = !is_named[k];
      is_any = is_any || is_named[k];
    }
    if (is_any) part.txns.push_back(std::move(txn));
  }
  return part;
}

std::optional<WholeLog> FewRows::updates(std::uint32_t row) const {
  auto log = part({row});
  if (!log) return std::nullopt;
  std::vector<Txn> updaters;
  for (Txn& txn : log->txns) {
    bool updates = false;
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const Prepared& prepared = *txn.statements[k];
      if (prepared.kind == sql::ReadStatement::Kind::RollbackTo)
        return std::nullopt;
      if (!prepared.is_sql() || txn.is_opaque[k] || prepared.is_select())
        continue;
      if (!std::holds_alternative<sql::Update>(prepared.statement->what) ||
          sql::chooses_rows(*prepared.statement) ||
          txn.log->statements[k].count != std::uint64_t{1})
        return std::nullopt;
      updates = true;
    }
    if (updates) updaters.push_back(std::move(txn));
  }
  log->txns = std::move(updaters);
  return log;
}

Tables FewRows::initial(const Rows& rows) const {
  Tables tables(log_.initial().schema());
  for (const std::uint32_t number : rows) {
    const Row& row = rows_[number];
    sql::Access access;
    access.table = row.table;
    const auto& columns =
        log_.initial().schema().at(row.table).unique[0].columns;
    for (std::size_t c = 0; c < columns.size(); ++c)
      access.equal.emplace_back(columns[c], row.key[c]);
    std::sort(access.equal.begin(), access.equal.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Effects effects;
    log_.initial().each(access, {}, [&](RowNumber there) {
      const RowPtr* now = log_.initial().visible(row.table, there, kSetup);
      if (now != nullptr) effects.push_back({row.table, 0, true, *now});
    });
    tables.put(effects, kSetup);
  }
  return tables;
}

std::optional<Found> FewRows::refute(const std::optional<WholeLog>& log,
                                     const Rows& rows, const AuditLevel& level,
                                     std::uint64_t most, bool& is_open,
                                     const Budget& budget) const {
  if (!log || log->txns.size() < 2) return std::nullopt;
  const Tables tables = initial(rows);
  NextIds ids = log_.new_ids();
  Found found = search(*log, tables, level, ids, budget, most);
  is_open = is_open || found.answer == Outcome::Undecided;
  if (found.answer != Outcome::Violated || ids.has_guessed())
    return std::nullopt;
  shrink(log_, *log, tables, level, found, budget);
  return found;
}

std::optional<std::uint32_t> FewRows::number_of(
    const std::optional<FirstBad>& stuck) const {
  const auto& txns = log_.whole().txns;
  const auto bad = std::find_if(txns.begin(), txns.end(), [&](const Txn& txn) {
    return stuck && txn.log->line == stuck->line;
  });
  if (bad == txns.end()) return std::nullopt;
  return static_cast<std::uint32_t>(bad - txns.begin());
}

std::vector<FewRows::Rows> FewRows::candidates(
    const std::optional<FirstBad>& stuck) const {
  std::vector<Rows> all;
  const auto& txns = log_.whole().txns;
  if (const auto bad = number_of(stuck)) {
    const std::uint32_t t = *bad;
    for (const Mention& mention : mentions_[t])
      if (stuck->statement == 0 || mention.statement + 1 == stuck->statement)
        all.push_back(mention.rows);
    all.push_back(rows_of(t));
    // Those that ran at the same time may be part of it.
    const auto& bad_log = *txns[t].log;
    for (std::uint32_t other = 0; other < txns.size(); ++other) {
      const sql::LogTransaction& log = *txns[other].log;
      if (!bad_log.start || !bad_log.end || !log.start || !log.end ||
          *log.end < *bad_log.start || *bad_log.end < *log.start)
        continue;
      const Rows mine = rows_of(t);
      const Rows theirs = rows_of(other);
      Rows both;
      std::set_union(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                     std::back_inserter(both));
      if (both.size() < mine.size() + theirs.size())
        all.push_back(std::move(both));
    }
  }
  for (std::uint32_t row = 0; row < rows_.size(); ++row)
    if (rows_[row].txns.size() > 1) all.push_back({row});
  // Those that are named together more than once, by whom comes first.
  std::map<Rows, std::uint32_t> counts;
  std::vector<Rows> sets;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    Rows rows = rows_of(t);
    if (rows.size() < 2 || rows.size() > kMostRows) continue;
    if (++counts[rows] == 2) sets.push_back(std::move(rows));
  }
  all.insert(all.end(), sets.begin(), sets.end());
  return all;
}

std::optional<Found> FewRows::refute(const AuditLevel& level,
                                     const std::optional<FirstBad>& stuck,
                                     const Budget& budget) const {
  if (!can_leave_out(level.rule)) return std::nullopt;
  const std::vector<Rows> all = candidates(stuck);
  const bool has_conflicts = level.rule == Rule::Snapshot ||
                             level.rule == Rule::PostgresRepeatableRead;
  AuditLevel one_row = level;
  one_row.rule = Rule::Serializable;
  // Whether it takes more tries, too.
  const auto refuted = [&](const Rows& rows, std::uint64_t most,
                           bool& is_open) -> std::optional<Found> {
    if (has_conflicts && rows.size() == 1)
      if (auto found =
              refute(updates(rows[0]), rows, one_row, most, is_open, budget))
        return found;
    return refute(part(rows), rows, level, most, is_open, budget);
  };
  std::vector<const Rows*> again;
  for (const Rows& rows : all) {
    if (budget.spent_now()) return std::nullopt;
    if (rows.empty() || rows.size() > kMostRows) continue;
    bool is_open = false;
    if (auto found = refuted(rows, kFirstTries, is_open)) return found;
    if (is_open && again.size() < kMostAgain) again.push_back(&rows);
  }
  for (const Rows* rows : again) {
    bool is_open = false;
    if (auto found = refuted(*rows, kMoreTries, is_open)) return found;
  }
  return std::nullopt;
}

std::optional<Found> FewRows::refute_by_versions(
    const std::optional<FirstBad>& stuck, const Budget& budget) const {
  std::vector<std::uint32_t> order;
  if (const auto bad = number_of(stuck)) order.push_back(*bad);
  for (std::uint32_t t = 0; t < mentions_.size(); ++t) order.push_back(t);
  std::set<Rows> known;
  std::uint64_t runs = 0;
  for (const std::uint32_t t : order)
    for (const Mention& mention : mentions_[t]) {
      if (mention.rows.empty() || mention.rows.size() > kMostRows ||
          !known.insert(mention.rows).second)
        continue;
      if (budget.spent_now() || runs > kMostRunsOfSets) return std::nullopt;
      const auto log = part(mention.rows);
      if (!log) continue;
      if (auto found = find_unreachable(log_, *log, initial(mention.rows),
                                        kMostRunsOfSet, runs, budget))
        return found;
    }
  return std::nullopt;
}

}  // namespace txscope::audit
