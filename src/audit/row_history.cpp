#include "audit/row_history.h"

#include <algorithm>

#include "exec/sql/compare.h"
#include "model/history_builder.h"
#include "model/sql/parse_value.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Row;
using sql::Value;
using Access = RowAccess::Kind;

bool is_wild(Access kind) {
  return kind == Access::WildUpdate || kind == Access::WildDelete ||
         kind == Access::WildInsert;
}
bool is_write(Access kind) {
  return kind == Access::Insert || kind == Access::Update || kind == Access::Delete;
}

const Change* change_of(const std::vector<Change>& changes,
                        std::uint32_t column) {
  for (const Change& change : changes)
    if (change.column == column) return &change;
  return nullptr;
}

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

}  // namespace

RowHistory::RowHistory(const LoadedLog& log, Rule rule) : log_(log) {
  const std::size_t tables = log.initial().schema().tables.size();
  numbers_.resize(tables);
  known_keys_.resize(tables);
  wild_.resize(tables);
  has_deletes_.assign(tables, false);
  has_inserts_.assign(tables, false);
  operations_.resize(log.judged().size());
  accesses_.resize(log.judged().size());
  add_initial(log.initial());
  add_writes(log);
  find_ranges(log);
  add_reads(log, rule);
  if (!impossible_) check_totals(log, rule);
}

void RowHistory::fail(std::uint32_t txn, std::size_t statement, std::string why,
                      std::string expected) {
  // The first line that is wrong is the one to name.
  if (impossible_ &&
      log_.judged()[impossible_->txn].log->line <= log_.judged()[txn].log->line)
    return;
  impossible_ = Impossible{txn, statement, std::move(why), std::move(expected)};
}

std::uint32_t RowHistory::row_of(TableId table, const Row& key) {
  const auto [found, is_new] = numbers_[table.index].try_emplace(
      key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    RowInfo row;
    row.table = table;
    row.key = key;
    rows_.push_back(std::move(row));
    known_keys_[table.index].push_back(key);
  }
  return found->second;
}

void RowHistory::add_initial(const Tables& tables) {
  for (std::size_t t = 0; t < tables.schema().tables.size(); ++t) {
    const TableId table(t);
    if (!tables.schema().at(table).has_primary_key) continue;
    sql::Access all;
    all.table = table;
    tables.each(all, [&](RowNumber number) {
      const RowPtr* row = tables.visible(table, number, kSetup);
      if (row == nullptr) return;
      Version version;
      version.txn = kInitialTxn;
      for (std::uint32_t c = 0; c < (*row)->size(); ++c)
        version.columns.push_back({c, Change::Kind::Constant, (**row)[c]});
      rows_[row_of(table, tables.key_of(table, **row))].versions.push_back(
          std::move(version));
    });
  }
}

void RowHistory::add_writes(const LoadedLog& log) {
  const sql::Schema& schema = log.initial().schema();
  const auto& txns = log.judged();
  // Keys that are inserted anywhere, for ranges that lack them.
  for (const Txn& txn : txns)
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k] || txn.statements[k]->is_select()) continue;
      for (const RowAccess& access :
           row_accesses(schema, *txn.statements[k], txn.log->statements[k], {}))
        if (is_write(access.kind)) (void)row_of(access.table, access.key);
    }
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const Txn& txn = txns[t];
    const bool is_aborted = txn.log->status == LogStatus::Aborted;
    accesses_[t].resize(txn.statements.size());
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k]) continue;
      accesses_[t][k] = row_accesses(schema, *txn.statements[k],
                                     txn.log->statements[k], known_keys_);
      for (const RowAccess& access : accesses_[t][k]) {
        if (!is_aborted) {
          if (access.kind == Access::Delete || access.kind == Access::WildDelete)
            has_deletes_[access.table.index] = true;
          if (access.kind == Access::Insert || access.kind == Access::WildInsert)
            has_inserts_[access.table.index] = true;
        }
        if (is_wild(access.kind))
          wild_[access.table.index].push_back({t, is_aborted, access});
        if (!is_write(access.kind)) continue;
        const std::uint32_t number = row_of(access.table, access.key);
        RowInfo& row = rows_[number];
        Version version;
        version.txn = t;
        version.is_aborted = is_aborted;
        version.is_deleted = access.kind == Access::Delete;
        version.columns = access.changes;
        if (!row.versions.empty() && row.versions.back().txn == t) {
          Version& last = row.versions.back();
          last.is_last = false;
          if (access.kind == Access::Update && !last.is_deleted)
            version.columns = merged(last.columns, access.changes);
        }
        row.versions.push_back(std::move(version));
        operations_[t].push_back(
            {number, true,
             static_cast<std::uint32_t>(row.versions.size() - 1)});
      }
    }
  }
}

/// A column that is only ever added to stays between what it starts with and
/// all that is taken away, or added.
void RowHistory::find_ranges(const LoadedLog& log) {
  const sql::Schema& schema = log.initial().schema();
  for (RowInfo& row : rows_) {
    const std::size_t columns = schema.at(row.table).columns.size();
    row.range.resize(columns);
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::optional<std::pair<sql::Int128, sql::Int128>> base;
      sql::Int128 down = 0;
      sql::Int128 up = 0;
      bool is_known = true;
      const auto add = [&](const Change* change, bool is_whole) {
        if (change == nullptr) {
          is_known = is_known && !is_whole;
          return;
        }
        const Value& v = change->value;
        if (change->kind == Change::Kind::Unknown ||
            v.kind() != sql::Kind::Integer) {
          is_known = false;
        } else if (change->kind == Change::Kind::Constant) {
          if (!base) base = {v.integer(), v.integer()};
          base->first = std::min<sql::Int128>(base->first, v.integer());
          base->second = std::max<sql::Int128>(base->second, v.integer());
        } else {
          (v.integer() < 0 ? down : up) += v.integer();
        }
      };
      for (const Version& version : row.versions) {
        if (version.is_aborted || version.is_deleted) continue;
        add(change_of(version.columns, c), version.txn == kInitialTxn);
      }
      for (const Wild& wild : wild_[row.table.index]) {
        if (wild.is_aborted || wild.access.kind == Access::WildDelete) continue;
        add(change_of(wild.access.changes, c),
            wild.access.kind == Access::WildInsert);
      }
      if (is_known && base)
        row.range[c] = {base->first + down, base->second + up};
    }
  }
}

bool RowHistory::fits(const RowInfo& row, const Version& version,
                      const RowAccess& access) const {
  if (access.kind == Access::Absent) return version.is_deleted;
  if (version.is_deleted) return false;
  for (const auto& [column, value] : access.columns) {
    const Change* change = change_of(version.columns, column);
    if (change != nullptr && change->kind == Change::Kind::Constant) {
      if (!is_same_value(change->value, value)) return false;
      continue;
    }
    if (!row.range[column]) continue;
    if (value.kind() != sql::Kind::Integer ||
        value.integer() < row.range[column]->first ||
        value.integer() > row.range[column]->second)
      return false;
  }
  return true;
}

bool RowHistory::fits_wild(const RowInfo& row, const Wild& wild,
                           const RowAccess& access) const {
  if (!wild.access.key.empty() && (KeyLess{}(wild.access.key, row.key) ||
                                   KeyLess{}(row.key, wild.access.key)))
    return false;
  Version version;
  version.is_deleted = wild.access.kind == Access::WildDelete;
  version.columns = wild.access.changes;
  return fits(row, version, access);
}

void RowHistory::add_reads(const LoadedLog& log, Rule rule) {
  const sql::Schema& schema = log.initial().schema();
  const auto& txns = log.judged();
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const Txn& txn = txns[t];
    if (!log.must_explain(txn)) continue;
    // The order of operations counts: reads come between the writes.
    const std::vector<Operation> writes = std::move(operations_[t]);
    operations_[t].clear();
    std::size_t next = 0;
    std::vector<std::uint32_t> own;  // rows written so far
    std::vector<bool> is_unclear(schema.tables.size(), false);
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k]) continue;
      const sql::LogStatement& observed = txn.log->statements[k];
      const Prepared& prepared = *txn.statements[k];
      if (prepared.is_select()) {
        const auto& relations = prepared.query().relations;
        const bool keys_may_repeat =
            rule != Rule::Serializable && rule != Rule::Snapshot &&
            (relations.empty() || relations[0].query != nullptr ||
             has_deletes_[relations[0].table.index]);
        if (std::string why =
                wrong_in_itself(schema, prepared, observed, keys_may_repeat);
            !why.empty())
          fail(t, k, std::move(why));
      }
      if (!prepared.is_sql()) {
        // After ROLLBACK TO it is not clear what is left of its writes.
        if (prepared.kind == sql::ReadStatement::Kind::RollbackTo)
          is_unclear.assign(schema.tables.size(), true);
        continue;
      }
      for (const RowAccess& access : accesses_[t][k]) {
        if (access.kind == Access::TooMany) {
          const bool may_repeat = rule != Rule::Serializable &&
                                  rule != Rule::Snapshot &&
                                  has_deletes_[access.table.index];
          if (!may_repeat)
            fail(t, k, "only one row can have this primary key", "count 1");
        } else if (is_wild(access.kind)) {
          is_unclear[access.table.index] = true;
        } else if (is_write(access.kind)) {
          operations_[t].push_back(writes[next]);
          own.push_back(writes[next++].row);
        } else if (!is_unclear[access.table.index]) {
          if (!read(t, k, access, own)) return;
        }
      }
    }
  }
}

bool RowHistory::read(std::uint32_t t, std::size_t k, const RowAccess& access,
                      const std::vector<std::uint32_t>& own) {
  const std::uint32_t number = row_of(access.table, access.key);
  RowInfo& row = rows_[number];
  row.range.resize(log_.initial().schema().at(access.table).columns.size());
  const std::string key = "row " + to_string(access.key[0]) + " of " +
                          log_.initial().schema().at(access.table).name;
  if (std::find(own.begin(), own.end(), number) != own.end()) {
    // Its own last write so far.
    std::uint32_t version = 0;
    for (const Operation& op : operations_[t])
      if (op.is_write && op.row == number) version = op.version;
    if (!fits(row, row.versions[version], access))
      fail(t, k, key + " is not as the transaction itself has written it");
    return true;
  }
  const bool is_initially_there =
      !row.versions.empty() && row.versions.front().txn == kInitialTxn;
  std::vector<std::uint32_t> candidates;
  bool may_be_absent = !is_initially_there && access.kind == Access::Absent;
  bool is_aborted = false;
  bool is_intermediate = false;
  bool is_own_later = false;
  for (std::uint32_t v = 0; v < row.versions.size(); ++v) {
    const Version& version = row.versions[v];
    if (!fits(row, version, access)) continue;
    if (version.is_aborted)
      is_aborted = true;
    else if (version.txn == t)
      is_own_later = true;
    else if (!version.is_last)
      is_intermediate = true;
    else
      candidates.push_back(v);
  }
  std::vector<std::uint32_t> wild;
  for (const Wild& w : wild_[access.table.index])
    if (w.txn != t && !w.is_aborted && fits_wild(row, w, access) &&
        (wild.empty() || wild.back() != w.txn))
      wild.push_back(w.txn);
  if (candidates.empty() && wild.empty() && !may_be_absent) {
    if (is_aborted)
      fail(t, k, key + " is read as only an aborted transaction wrote it");
    else if (is_intermediate)
      fail(t, k, key + " is read as it was in the middle of a transaction");
    else if (is_own_later)
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
    return true;
  }
  if (access.kind == Access::Exists) return true;
  if (candidates.size() == 1 && wild.empty() && !may_be_absent) {
    operations_[t].push_back({number, false, candidates[0]});
    ++identified_;
  } else if (candidates.empty() && wild.size() == 1 && !may_be_absent) {
    // So that one has written it.
    Version version;
    version.txn = wild[0];
    row.versions.push_back(version);
    const auto made = static_cast<std::uint32_t>(row.versions.size() - 1);
    operations_[wild[0]].push_back({number, true, made});
    operations_[t].push_back({number, false, made});
    ++identified_;
  } else if (candidates.empty() && wild.empty() && may_be_absent) {
    operations_[t].push_back({number, false, kInitialTxn});
    ++identified_;
  }
  return true;
}

Result<History> RowHistory::history(const std::string& file, bool times) const {
  HistoryBuilder builder(file);
  AtomTable& atoms = builder.atoms();
  const auto& txns = log_.judged();
  const sql::Schema& schema = log_.initial().schema();
  std::vector<KeyId> keys;
  for (const RowInfo& row : rows_) {
    std::string name = schema.at(row.table).name + "(";
    for (const Value& value : row.key)
      name += (name.back() == '(' ? "" : ",") + to_string(value);
    keys.push_back(builder.key(atoms.of_string(name + ")")));
  }
  // A version's value is who wrote it; what the setup left, or nothing, is 0.
  builder.set_default_initial(atoms.of_int(0));
  std::vector<SessionId> sessions;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const Txn& txn = txns[t];
    builder.at_line(txn.log->line);
    builder.begin(builder.session(atoms.of_string(txn.log->session)));
    builder.set_name(atoms.of_string(txn.log->id));
    if (times && txn.log->start && txn.log->end)
      builder.set_times(*txn.log->start, *txn.log->end);
    const auto value = [&](const RowInfo& row, std::uint32_t version) {
      if (version == kInitialTxn || row.versions[version].txn == kInitialTxn)
        return atoms.of_int(0);
      const std::uint32_t writer = row.versions[version].txn;
      std::int64_t before = 0;
      for (std::uint32_t v = 0; v < version; ++v)
        before += row.versions[v].txn == writer ? 1 : 0;
      return atoms.of_string(txns[writer].log->id +
                             (before == 0 ? "" : "/" + std::to_string(before)));
    };
    for (const Operation& op : operations_[t]) {
      const RowInfo& row = rows_[op.row];
      if (op.is_write)
        builder.write(keys[op.row], value(row, op.version));
      else
        builder.read(keys[op.row], value(row, op.version));
    }
    builder.end(txn.log->status == LogStatus::Committed ? Status::Committed
                : txn.log->status == LogStatus::Aborted ? Status::Aborted
                                                        : Status::Unknown);
  }
  return std::move(builder).finish();
}

/// COUNT and SUM over a whole table that no transaction changes as a whole.
void RowHistory::check_totals(const LoadedLog& log, Rule rule) {
  const sql::Schema& schema = log.initial().schema();
  const auto& txns = log.judged();
  struct Total {
    bool is_known = true;
    sql::Int128 least = 0;
    sql::Int128 most = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Total> sums;
  const auto sum_of = [&](TableId table, std::uint32_t column) -> Total& {
    const auto [found, is_new] = sums.try_emplace({table.index, column});
    Total& total = found->second;
    if (!is_new) return total;
    // The start, and what each transaction adds in all.
    sql::Access all;
    all.table = table;
    log.initial().each(all, [&](RowNumber number) {
      const RowPtr* row = log.initial().visible(table, number, kSetup);
      if (row == nullptr) return;
      const Value& v = (**row)[column];
      if (v.kind() != sql::Kind::Integer) {
        total.is_known = false;
        return;
      }
      total.least += v.integer();
      total.most += v.integer();
    });
    for (std::uint32_t t = 0; t < txns.size(); ++t) {
      if (txns[t].log->status == LogStatus::Aborted) continue;
      sql::Int128 delta = 0;
      for (const auto& statement : accesses_[t])
        for (const RowAccess& access : statement) {
          if (access.table != table) continue;
          const Change* change = change_of(access.changes, column);
          if (is_wild(access.kind) || is_write(access.kind)) {
            if (access.kind == Access::Update && change == nullptr) continue;
            if (access.kind == Access::WildUpdate && change == nullptr) continue;
            const bool is_added =
                change != nullptr && change->kind == Change::Kind::Add;
            const bool is_silent =
                is_added && change->value == Value::integer(0);
            if (is_silent || (is_added && access.kind == Access::Update))
              delta += change->value.integer();
            else
              total.is_known = false;
          }
        }
      if (delta < 0) total.least += delta;
      if (delta > 0) total.most += delta;
    }
    return total;
  };
  const bool has_states = rule == Rule::Serializable ||
                          rule == Rule::Snapshot || rule == Rule::Prefix ||
                          rule == Rule::PostgresRepeatableRead ||
                          rule == Rule::PostgresReadCommitted;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const Txn& txn = txns[t];
    if (!log.must_explain(txn)) continue;
    std::vector<bool> has_written(schema.tables.size(), false);
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k]) continue;
      for (const RowAccess& access : accesses_[t][k])
        if (is_wild(access.kind) || is_write(access.kind))
          has_written[access.table.index] = true;
      const Prepared& prepared = *txn.statements[k];
      const sql::LogStatement& s = txn.log->statements[k];
      if (!prepared.is_select() || !s.rows || s.rows->size() != 1) continue;
      const sql::Query& q = prepared.query();
      if (q.relations.size() != 1 || q.relations[0].query != nullptr ||
          q.where || !q.group_by.empty() || q.having || q.limit || q.offset)
        continue;
      const TableId table = q.relations[0].table;
      if (has_inserts_[table.index] || has_deletes_[table.index] ||
          has_written[table.index])
        continue;
      for (std::size_t i = 0; i < q.targets.size(); ++i) {
        const sql::Expr& e = q.targets[i].expr;
        if (e.op != sql::Op::Aggregate || e.level != 0) continue;
        const sql::Aggregate& aggregate = q.aggregates[e.index];
        const Value& seen = (*s.rows)[0][i];
        if (aggregate.kind == sql::AggregateKind::CountRows) {
          const auto rows =
              static_cast<std::int64_t>(known_keys_[table.index].size());
          if (schema.at(table).has_primary_key && wild_[table.index].empty() &&
              !is_same_value(Value::integer(rows), seen))
            fail(t, k,
                 "nobody inserts into " + schema.at(table).name +
                     " or deletes from it",
                 "count " + std::to_string(rows));
        } else if (aggregate.kind == sql::AggregateKind::Sum && has_states &&
                   !aggregate.is_distinct && aggregate.argument &&
                   aggregate.argument->op == sql::Op::Column) {
          const Total& total = sum_of(table, aggregate.argument->index);
          if (!total.is_known) continue;
          std::optional<sql::Int128> value;
          if (seen.kind() == sql::Kind::Integer) value = seen.integer();
          if (seen.kind() == sql::Kind::Numeric && seen.scale() == 0)
            value = seen.digits();
          if (seen.kind() == sql::Kind::Text) {
            const auto parsed =
                sql::parse_value(seen.text(), sql::TypeName::BigInt);
            if (!parsed) continue;
            value = parsed->integer();
          }
          if (value && *value >= total.least && *value <= total.most) continue;
          fail(t, k,
               total.least == total.most
                   ? "every transaction leaves this sum as it is"
                   : "no transactions together make this sum",
               "the sum is " +
                   std::to_string(static_cast<std::int64_t>(total.least)) +
                   (total.least == total.most
                        ? std::string()
                        : " to " + std::to_string(
                                       static_cast<std::int64_t>(total.most))));
        }
      }
    }
  }
}

}  // namespace txscope::audit
