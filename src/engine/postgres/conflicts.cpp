#include <algorithm>
#include <bit>
#include <utility>

#include "engine/postgres/statement.h"
#include "model/product/error_class.h"

namespace txscope::engine {
namespace {

// More rows of one page than this become a lock on the page, and the tables of
// an application under test have one page (max_pred_locks_per_page).
constexpr int kMaxRowsPerPage = 2;

bool is_prefix_covered(const sql::Access& access, const sql::UniqueKey& key) {
  return covers(access, std::span(key.columns).first(1));
}

}  // namespace

bool PostgresStatement::serialization_failure() {
  return fail(error_of(Product::PostgreSql, ErrorClass::Serialization));
}

// What a scan reads, as PostgreSQL notes it: the whole table, or the page of
// the index that it looks into and the rows that it finds there.
bool PostgresStatement::note_scan(const sql::Access& access) {
  const std::uint8_t me = state_.ssi.slot_of(me_);
  const TxnSet mine = TxnSet{1} << me;
  const auto& keys = schema(access.table).unique;
  std::optional<std::size_t> index;
  for (std::size_t k = 0; k < keys.size() && !index; ++k)
    if (covers(access, keys[k].columns)) index = k;
  for (std::size_t k = 0; k < keys.size() && !index; ++k)
    if (is_prefix_covered(access, keys[k])) index = k;

  session().touched |= touch_bit(access.table.index);
  TableState& table = state_.change(access.table);
  Records& records = table.records;
  const auto is_examined = [&](const StoredRow* row) {
    if (row == nullptr) return false;
    if (!index) return true;
    const auto& columns = keys[*index].columns;
    for (const auto& [column, value] : access.equal) {
      bool is_key = false;
      for (const std::uint32_t c : columns) is_key |= c == column;
      if (is_key && row->row[column] != value) return false;
    }
    return true;
  };
  if (index)
    table.index_readers[*index] |= mine;
  else
    table.scanners |= mine;
  Records::Equal asked;  // of the index
  for (const auto& one : access.equal)
    if (index && std::count(keys[*index].columns.begin(),
                            keys[*index].columns.end(), one.first) > 0)
      asked.push_back(one);
  std::vector<std::size_t> met;
  records.for_each_that_may(asked, [&](std::size_t i, const Record& record) {
    bool is_met = is_examined(record.pending.row);
    for (const Pending::Layer& layer : record.pending.below)
      is_met |= is_examined(layer.row);
    for (const Version& version : record.versions)
      is_met |= is_examined(version.row);
    if (is_met) met.push_back(i);
  });
  int rows_read = 0;
  for (const std::size_t i : met) {
    const Record& record = records[i];
    const Pending& pending = record.pending;
    if (state_.ssi.is_doomed(me)) return serialization_failure();
    TxnSet writers = 0;
    if (pending.exists() && pending.owner != me_) {
      if (const auto slot = state_.ssi.find_slot(pending.owner))
        writers |= TxnSet{1} << *slot;
    }
    writers |= index ? state_.ssi.first_after(record.writers, snapshot_)
                     : record.writers;
    if (!state_.ssi.read(writers, me)) return serialization_failure();
    const StoredRow* shown = visible(record, snapshot_);
    const bool is_last =
        record.last() == nullptr || record.last()->stamp <= snapshot_;
    if (index && is_examined(shown) && pending.owner != me_ && is_last)
      records.change(i).readers |= mine;
    if ((records[i].readers & mine) != 0) ++rows_read;
  }
  if (rows_read > kMaxRowsPerPage) table.page_readers |= mine;
  return true;
}

bool PostgresStatement::note_key_scan(
    TableId table, std::span<const std::uint32_t> columns,
    std::span<const std::uint32_t> value_columns, const sql::Row& values,
    Stamp snapshot) {
  if (!is_serializable()) return true;
  sql::Access access;
  access.table = table;
  for (std::size_t c = 0; c < columns.size(); ++c)
    access.equal.emplace_back(columns[c], values[value_columns[c]]);
  std::sort(access.equal.begin(), access.equal.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const Stamp own = std::exchange(snapshot_, snapshot);
  const bool goes_on = note_scan(access);
  snapshot_ = own;
  return goes_on;
}

bool PostgresStatement::note_row(TableId table, std::size_t index) {
  if (!is_serializable()) return true;
  const std::uint8_t me = state_.ssi.slot_of(me_);
  if (state_.ssi.is_doomed(me)) return serialization_failure();
  Record& row = change(table, index);
  if (row.pending.owner == me_) return true;
  session().touched |= touch_bit(table.index);
  row.readers |= TxnSet{1} << me;
  return true;
}

bool PostgresStatement::note_write(TableId table, const Record* record) {
  if (!is_serializable()) return true;
  const TableState& state = state_.table(table);
  TxnSet readers = state.scanners;
  if (record != nullptr) readers |= state.page_readers | record->readers;
  if (state_.ssi.write(readers, state_.ssi.slot_of(me_))) return true;
  return serialization_failure();
}

bool PostgresStatement::note_index_insert(TableId table, std::size_t index) {
  if (!is_serializable()) return true;
  const TxnSet readers = state_.table(table).index_readers[index];
  if (state_.ssi.write(readers, state_.ssi.slot_of(me_))) return true;
  return serialization_failure();
}

}  // namespace txscope::engine
