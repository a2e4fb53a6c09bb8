#include "audit/rows/row_versions.h"

#include <algorithm>

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Row;
using sql::Value;
using Access = RowAccess::Kind;

/// Later changes over earlier ones of the same row.
std::vector<Change> merged(std::vector<Change> base,
                           const std::vector<Change>& more) {
  for (const Change& change : more) {
    bool is_found = false;
    for (Change& old : base) {
      if (old.column != change.column) continue;
      is_found = true;
      if (change.kind == Change::Kind::Add &&
          old.kind != Change::Kind::Unknown &&
          old.value.kind() == sql::Kind::Integer)
        old.value =
            Value::integer(old.value.integer() + change.value.integer());
      else if (change.kind == Change::Kind::Add)
        old.kind = Change::Kind::Unknown;
      else
        old = change;
    }
    if (!is_found) base.push_back(change);
  }
  return base;
}

/// What is written to a column, as long as it is known.
struct Written {
  bool is_known = true;
  ValueSet values;

  /// `is_whole`: of a row of which every column is told.
  void add(const RowVersion& version, std::uint32_t column, bool is_whole) {
    if (version.is_never_seen || version.is_deleted || !is_known) return;
    const Change* change = change_of(version.columns, column);
    if (change == nullptr) {
      is_known = !is_whole;
      return;
    }
    const Value& v = change->value;
    if (change->kind == Change::Kind::Unknown || v.kind() != sql::Kind::Integer)
      is_known = false;
    else if (change->kind == Change::Kind::Constant)
      values.start(v.integer());
    else
      values.add(v.integer());
  }
};

bool rolls_back(const Txn& txn) {
  return std::any_of(txn.statements.begin(), txn.statements.end(),
                     [](const PreparedPtr& p) {
                       return p->kind == sql::ReadStatement::Kind::RollbackTo;
                     });
}

}  // namespace

bool is_wild(Access kind) {
  return kind == Access::WildUpdate || kind == Access::WildDelete ||
         kind == Access::WildInsert;
}
bool is_write(Access kind) {
  return kind == Access::Insert || kind == Access::Update ||
         kind == Access::Delete;
}

RowVersions::RowVersions(const LoadedLog& log)
    : tables_(log.initial().schema().tables.size()),
      known_(tables_.size()),
      accesses_(log.judged().size()),
      writes_(log.judged().size()) {
  add_initial(log.initial());
  find_rows(log);
  for (std::uint32_t t = 0; t < log.judged().size(); ++t) add_writes(log, t);
  find_ranges(log.initial().schema());
}

std::uint32_t RowVersions::row_of(TableId table, const Row& key) {
  const auto [found, is_new] = tables_[table.index].numbers.try_emplace(
      key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    RowInfo row;
    row.table = table;
    row.key = key;
    rows_.push_back(std::move(row));
  }
  return found->second;
}

std::optional<std::uint32_t> RowVersions::find_row(TableId table,
                                                   const Row& key) const {
  const auto found = tables_[table.index].numbers.find(key);
  if (found == tables_[table.index].numbers.end()) return std::nullopt;
  return found->second;
}

const RowVersion* RowVersions::initial(std::uint32_t row) const {
  const VersionList& versions = rows_[row].versions;
  return !versions.empty() && versions.at(0).txn == kInitialTxn
             ? &versions.at(0)
             : nullptr;
}

void RowVersions::add_initial(const Tables& tables) {
  for (std::size_t t = 0; t < tables.schema().tables.size(); ++t) {
    const TableId table(t);
    if (!tables.schema().at(table).has_primary_key) continue;
    sql::Access all;
    all.table = table;
    tables.each(all, {}, [&](RowNumber number) {
      const RowPtr* row = tables.visible(table, number, kSetup);
      if (row == nullptr) return;
      RowVersion version;
      for (std::uint32_t c = 0; c < (*row)->size(); ++c)
        version.columns.push_back({c, Change::Kind::Constant, (**row)[c]});
      const Row key = tables.key_of(table, **row);
      known_[t].add(tables.schema().at(table), key, **row);
      rows_[row_of(table, key)].versions.add(std::move(version));
    });
  }
}

/// The rows that are written anywhere, besides those of the setup.
void RowVersions::find_rows(const LoadedLog& log) {
  const sql::Schema& schema = log.initial().schema();
  for (const Txn& txn : log.judged())
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const Prepared& prepared = *txn.statements[k];
      const bool only_reads = prepared.is_select() && !prepared.runs_routines();
      if (txn.is_opaque[k] || only_reads) continue;
      for (const RowAccess& access :
           row_accesses(schema, prepared, txn.log->statements[k], {}))
        add_known(schema, access);
    }
  for (std::size_t t = 0; t < known_.size(); ++t) {
    const sql::Table& table = schema.tables[t];
    if (!table.has_primary_key) continue;
    if (log.skipped() != 0) known_[t].add_anything(table);
    known_[t].finish(table);
  }
}

void RowVersions::add_known(const sql::Schema& schema,
                            const RowAccess& access) {
  const sql::Table& table = schema.at(access.table);
  if (!table.has_primary_key) return;
  if (is_write(access.kind)) (void)row_of(access.table, access.key);
  known_[access.table.index].add(table, access);
}

void RowVersions::add_writes(const LoadedLog& log, std::uint32_t t) {
  const Txn& txn = log.judged()[t];
  RowVersion version;
  version.txn = t;
  version.is_aborted = txn.log->status == LogStatus::Aborted;
  version.is_never_seen = version.is_aborted && !log.must_explain(txn);
  version.is_certain = !rolls_back(txn);
  accesses_[t].resize(txn.statements.size());
  for (std::size_t k = 0; k < txn.statements.size(); ++k) {
    if (txn.is_opaque[k]) continue;
    accesses_[t][k] = row_accesses(log.initial().schema(), *txn.statements[k],
                                   txn.log->statements[k], known_);
    for (const RowAccess& access : accesses_[t][k])
      add_write(t, access, version);
  }
  // A key inserted and deleted again is no write.
  std::map<std::uint32_t, std::uint32_t> first;
  for (const auto& [row, v] : writes_[t]) first.try_emplace(row, v);
  for (const auto& [row, v] : writes_[t]) {
    RowVersion& last = rows_[row].versions.at(v);
    const RowVersion& begin = rows_[row].versions.at(first[row]);
    last.is_void =
        last.is_certain && last.is_last && last.is_deleted && begin.is_insert;
  }
}

void RowVersions::add_write(std::uint32_t t, const RowAccess& access,
                            RowVersion version) {
  if (!is_wild(access.kind) && !is_write(access.kind)) return;
  TableInfo& table = tables_[access.table.index];
  version.is_deleted =
      access.kind == Access::Delete || access.kind == Access::WildDelete;
  version.is_insert =
      access.kind == Access::Insert || access.kind == Access::WildInsert;
  if (!version.is_aborted) {
    table.has_deletes = table.has_deletes || version.is_deleted;
    table.has_inserts = table.has_inserts || version.is_insert;
  }
  version.columns = access.changes;
  if (is_wild(access.kind)) {
    if (access.key.empty())
      table.wild.add(std::move(version));
    else
      rows_[row_of(access.table, access.key)].wild.add(std::move(version));
    return;
  }
  const std::uint32_t number = row_of(access.table, access.key);
  VersionList& versions = rows_[number].versions;
  // Of one that rolls back to a savepoint any may be the last, and what it
  // has of those before is not known.
  if (version.is_certain && !versions.empty() &&
      versions.all().back().txn == t) {
    RowVersion& last =
        versions.at(static_cast<std::uint32_t>(versions.all().size() - 1));
    last.is_last = false;
    if (access.kind == Access::Update && !last.is_deleted)
      version.columns = merged(last.columns, access.changes);
  }
  writes_[t].emplace_back(number, versions.add(std::move(version)));
}

bool RowVersions::keys_may_repeat(TableId t, Rule rule,
                                  bool is_one_state) const {
  if (rule == Rule::Serializable || rule == Rule::Snapshot || !has_deletes(t))
    return false;
  return !is_one_state || rule == Rule::ReadCommitted || rule == Rule::Prefix;
}

void RowVersions::find_ranges(const sql::Schema& schema) {
  ValueEffort effort;
  std::vector<std::vector<Written>> anywhere(tables_.size());
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    anywhere[t].resize(schema.tables[t].columns.size());
    for (const RowVersion& version : tables_[t].wild.all())
      for (std::uint32_t c = 0; c < anywhere[t].size(); ++c)
        anywhere[t][c].add(version, c, version.is_insert);
  }
  for (RowInfo& row : rows_) {
    const std::size_t columns = schema.at(row.table).columns.size();
    row.ranges.resize(columns);
    for (std::uint32_t c = 0; c < columns; ++c) {
      Written written = anywhere[row.table.index][c];
      for (const RowVersion& version : row.versions.all())
        written.add(version, c, version.txn == kInitialTxn);
      for (const RowVersion& version : row.wild.all())
        written.add(version, c, version.is_insert);
      if (!written.is_known || written.values.empty()) continue;
      written.values.finish(effort);
      row.ranges[c] = std::move(written.values);
    }
  }
}

RowVersions::Writers RowVersions::writers(std::uint32_t number,
                                          const RowAccess& access,
                                          std::uint32_t reader) const {
  const RowInfo& row = rows_[number];
  Writers found;
  const auto add = [&](std::uint32_t txn) {
    if (std::find(found.txns.begin(), found.txns.end(), txn) ==
        found.txns.end())
      found.txns.push_back(txn);
    return found.txns.size() < 2;
  };
  if (access.kind == Access::Absent && initial(number) == nullptr)
    add(kInitialTxn);
  row.versions.each(access, row.ranges, [&](const RowVersion& version) {
    if (version.is_void) return true;
    if (version.is_aborted)
      found.is_aborted = true;
    else if (version.txn == reader)
      found.is_own_later = true;
    else if (!version.is_last)
      found.is_intermediate = true;
    else
      return add(version.txn);
    return true;
  });
  const auto add_wild = [&](const RowVersion& version) {
    return version.txn == reader || version.is_aborted || add(version.txn);
  };
  if (found.txns.size() < 2) row.wild.each(access, row.ranges, add_wild);
  if (found.txns.size() < 2)
    tables_[row.table.index].wild.each(access, row.ranges, add_wild);
  return found;
}

}  // namespace txscope::audit
