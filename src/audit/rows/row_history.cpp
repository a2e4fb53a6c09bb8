#include "audit/rows/row_history.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "audit/attempt/shown_rows.h"
#include "audit/rows/column_values.h"
#include "audit/rows/row_chains.h"
#include "audit/rows/select_access.h"
#include "model/history_builder.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;
using Access = RowAccess::Kind;

/// Whether what a statement shows is one state, or rows of several.
bool shows_a_state(const Prepared& prepared, Rule rule) {
  switch (rule) {
    case Rule::PostgresReadCommitted:
    case Rule::MariadbReadCommitted:
    case Rule::MariadbRepeatableRead:
    case Rule::MariadbSnapshot:
      // Rows that it locks are shown as they are last.
      return prepared.is_select() && !prepared.locks();
    default: return true;
  }
}

}  // namespace

RowHistory::RowHistory(const LoadedLog& log, Rule rule)
    : log_(log), rows_(log), reads_(log.judged().size()) {
  for (std::uint32_t t = 0; t < log.judged().size(); ++t)
    if (log.must_explain(log.judged()[t])) add_reads(log, t, rule);
  check_lives();
  const auto on_impossible = [this](std::uint32_t t, std::size_t k,
                                    std::string why, std::string expected) {
    fail(t, k, std::move(why), std::move(expected));
  };
  check_column_values(log, rows_, on_impossible);
  check_totals(log, rows_, rule, on_impossible);
  if (impossible_) return;
  auto lost = find_lost_update(log, rows_, rule);
  if (!lost) return;
  const std::uint32_t last = lost->txns.back();
  lost->txns.pop_back();
  impossible_ = Impossible{last, log.judged()[last].statements.size(),
                           std::move(lost->why), "", std::move(lost->txns)};
}

void RowHistory::fail(std::uint32_t txn, std::size_t statement, std::string why,
                      std::string expected, std::vector<std::uint32_t> others) {
  // One of unknown outcome need not be explained.
  if (log_.judged()[txn].log->status == LogStatus::Unknown) return;
  // The first line that is wrong is the one to name.
  if (impossible_ &&
      log_.judged()[impossible_->txn].log->line <= log_.judged()[txn].log->line)
    return;
  impossible_ = Impossible{txn, statement, std::move(why), std::move(expected),
                           std::move(others)};
}

/// `is_changed`: the tables that the transaction itself has written.
void RowHistory::check_alone(const LoadedLog& log, std::uint32_t t,
                             std::size_t k, Rule rule,
                             const std::vector<bool>& is_changed) {
  const Prepared& prepared = *log.judged()[t].statements[k];
  bool may_repeat = !prepared.is_select() || prepared.query().relations.empty();
  if (prepared.is_select())
    for (const sql::Relation& relation : prepared.query().relations)
      may_repeat = may_repeat ||
                   !is_keyed_table(log.initial().schema(), relation) ||
                   rows_.keys_may_repeat(
                       relation.table, rule,
                       !prepared.locks() && !is_changed[relation.table.index]);
  std::string why =
      wrong_in_itself(log.initial().schema(), prepared,
                      log.judged()[t].log->statements[k], may_repeat);
  if (!why.empty()) fail(t, k, std::move(why));
}

void RowHistory::add_reads(const LoadedLog& log, std::uint32_t t, Rule rule) {
  const sql::Schema& schema = log.initial().schema();
  const Txn& txn = log.judged()[t];
  std::unordered_map<std::uint32_t, std::uint32_t> own;  // row to version
  std::size_t next = 0;
  std::vector<bool> is_unclear(schema.tables.size(), false);
  std::vector<bool> is_changed(schema.tables.size(), false);
  for (std::size_t k = 0; k < txn.statements.size(); ++k) {
    if (txn.is_opaque[k]) {
      is_changed.assign(schema.tables.size(), true);
      continue;
    }
    check_alone(log, t, k, rule, is_changed);
    const Prepared& prepared = *txn.statements[k];
    const bool is_plain = prepared.is_select() && !prepared.locks();
    // After ROLLBACK TO it is not clear what is left of its writes.
    if (prepared.kind == sql::ReadStatement::Kind::RollbackTo)
      is_unclear.assign(schema.tables.size(), true);
    for (const RowAccess& access : rows_.accesses(t, k)) {
      const std::uint32_t table = access.table.index;
      if (access.kind == Access::TooMany) {
        if (!rows_.keys_may_repeat(access.table, rule,
                                   is_plain && !is_changed[table]))
          fail(t, k, "only one row can have this primary key",
               prepared.is_select() ? "1 row" : "count 1");
      } else if (is_wild(access.kind)) {
        is_unclear[table] = is_changed[table] = true;
      } else if (is_write(access.kind)) {
        is_changed[table] = true;
        const auto& [row, version] = rows_.writes(t)[next++];
        own[row] = version;
      } else if (!is_unclear[table]) {
        const std::uint32_t row = rows_.row_of(access.table, access.key);
        const auto mine = own.find(row);
        if (mine == own.end()) {
          const std::size_t before = reads_[t].size();
          read(t, k, access);
          if (!shows_a_state(prepared, rule)) reads_[t].resize(before);
        } else if (!rows_.keys_may_repeat(access.table, rule, false) &&
                   !rows_.fits(row, mine->second, access)) {
          fail(t, k,
               "row " + to_string(access.key[0]) + " of " +
                   schema.at(access.table).name +
                   " is not as the transaction itself has written it");
        }
      }
    }
  }
}

void RowHistory::read(std::uint32_t t, std::size_t k, const RowAccess& access) {
  const std::uint32_t row = rows_.row_of(access.table, access.key);
  const RowVersions::Writers writers = rows_.writers(row, access, t);
  if (writers.txns.empty()) {
    const std::string key = "row " + to_string(access.key[0]) + " of " +
                            log_.initial().schema().at(access.table).name;
    if (writers.is_aborted)
      fail(t, k, key + " is read as only an aborted transaction wrote it");
    else if (writers.is_intermediate)
      fail(t, k, key + " is read as it was in the middle of a transaction");
    else if (writers.is_own_later)
      fail(t, k, key + " is read before the transaction itself writes it so");
    else if (access.kind == Access::Absent)
      fail(t, k,
           key +
               " is missing, although it was there and nobody ever "
               "deleted it");
    else if (access.kind == Access::Exists)
      fail(t, k, key + " is not there, and nobody ever inserted it");
    else
      fail(t, k, key + " was never written so by anybody");
    return;
  }
  if (access.kind == Access::Exists || writers.txns.size() > 1) return;
  reads_[t].push_back({row, writers.txns[0]});
  if (writers.txns[0] != kInitialTxn) was_read_.emplace(writers.txns[0], row);
}

void RowHistory::check_lives() {
  struct Lives {
    std::vector<std::uint32_t> begun_by;
    std::uint64_t ended = 0;
  };
  // What was left out may have deleted anything.
  if (log_.skipped() != 0) return;
  const auto& txns = log_.judged();
  std::map<std::uint32_t, Lives> rows;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    if (txns[t].log->status == LogStatus::Aborted) continue;
    std::unordered_map<std::uint32_t, bool> begins;  // its first is an insert
    for (const auto& [row, v] : rows_.writes(t)) {
      const RowVersion& version = rows_.version(row, v);
      const auto [first, is_first] = begins.try_emplace(row, version.is_insert);
      if (version.is_deleted) ++rows[row].ended;
      const bool is_begun = first->second && version.is_last &&
                            !version.is_deleted && version.is_certain;
      if (is_begun && txns[t].log->status == LogStatus::Committed)
        rows[row].begun_by.push_back(t);
    }
  }
  for (const auto& [row, lives] : rows) {
    const std::uint64_t most = lives.ended + rows_.open_writes(row) +
                               (rows_.initial(row) == nullptr ? 1 : 0);
    if (lives.begun_by.size() <= most) continue;
    std::vector<std::uint32_t> others = lives.begun_by;
    const std::uint32_t t = others.back();
    others.pop_back();
    std::size_t k = 0;
    const auto inserts = [&](const RowAccess& access) {
      return access.kind == Access::Insert &&
             rows_.find_row(access.table, access.key) == row;
    };
    while (k + 1 < txns[t].statements.size() &&
           std::none_of(rows_.accesses(t, k).begin(),
                        rows_.accesses(t, k).end(), inserts))
      ++k;
    fail(t, k,
         "row " + to_string(rows_.key(row)[0]) + " of " +
             log_.initial().schema().at(rows_.table(row)).name +
             " was there already, and nobody ever deleted it",
         "", std::move(others));
  }
}

std::vector<std::uint32_t> RowHistory::written(std::uint32_t t) const {
  std::vector<std::uint32_t> rows;
  for (const auto& [row, v] : rows_.writes(t)) {
    const RowVersion& version = rows_.version(row, v);
    if (version.is_last && version.is_certain && !version.is_void)
      rows.push_back(row);
  }
  for (auto i = was_read_.lower_bound({t, 0});
       i != was_read_.end() && i->first == t; ++i)
    if (std::find(rows.begin(), rows.end(), i->second) == rows.end())
      rows.push_back(i->second);
  return rows;
}

std::vector<std::uint32_t> RowHistory::read_from(std::uint32_t t) const {
  std::vector<std::uint32_t> writers;
  for (const Read& read : reads_[t])
    if (read.writer != kInitialTxn) writers.push_back(read.writer);
  return writers;
}

Result<History> RowHistory::history(const std::string& file) const {
  HistoryBuilder builder(file);
  AtomTable& atoms = builder.atoms();
  const auto& txns = log_.judged();
  const sql::Schema& schema = log_.initial().schema();
  std::vector<std::optional<KeyId>> keys(rows_.size());
  const auto key_of = [&](std::uint32_t row) {
    if (keys[row]) return *keys[row];
    std::string name = schema.at(rows_.table(row)).name + "(";
    for (const sql::Value& value : rows_.key(row))
      name += (name.back() == '(' ? "" : ",") + to_string(value);
    keys[row] = builder.key(atoms.of_string(name + ")"));
    return *keys[row];
  };
  // A version's value is who wrote it; what the setup left, or nothing, is 0.
  builder.set_default_initial(atoms.of_int(0));
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const sql::LogTransaction& txn = *txns[t].log;
    builder.at_line(txn.line);
    builder.begin(builder.session(atoms.of_string(txn.session)));
    builder.set_name(atoms.of_string(txn.id));
    if (txn.start && txn.end) builder.set_times(*txn.start, *txn.end);
    // Nobody's own writes are among the reads, so these come first.
    for (const Read& read : reads_[t])
      builder.read(key_of(read.row),
                   read.writer == kInitialTxn
                       ? atoms.of_int(0)
                       : atoms.of_string(txns[read.writer].log->id));
    for (const std::uint32_t row : written(t))
      builder.write(key_of(row), atoms.of_string(txn.id));
    builder.end(txn.status == LogStatus::Committed ? Status::Committed
                : txn.status == LogStatus::Aborted ? Status::Aborted
                                                   : Status::Unknown);
  }
  return std::move(builder).finish();
}

}  // namespace txscope::audit
