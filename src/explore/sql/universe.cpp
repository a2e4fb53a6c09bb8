#include "explore/sql/universe.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/value/compare.h"
#include "model/sql/value/packed.h"

namespace txscope::explore {
namespace {

/// SQL's order of keys.
bool precedes(const sql::Row& a, const sql::Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int order = compare(a[i], b[i]);
    if (order != 0) return order < 0;
  }
  return false;
}

}  // namespace

std::size_t Universe::RowHash::operator()(const sql::Row& row) const {
  std::uint64_t hash = 0x243f6a8885a308d3ull;
  for (const sql::Value& value : row) {
    hash = (hash ^ value.hash()) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

Universe::Universe(const sql::Routines& routines,
                   const sql::MemoryDatabase& initial, std::size_t instances)
    : application_(routines.application()),
      instances_(instances),
      sequences_(initial.sequences().begin(), initial.sequences().end()),
      claims_(application_.schema, initial) {
  for (std::size_t t = 0; t < application_.schema.tables.size(); ++t) {
    const TableId id(t);
    Table table;
    for (const sql::Row& row : initial.rows(id)) {
      Entry entry;
      entry.key = application_.schema.at(id).has_primary_key
                      ? key_of(id, row)
                      : sql::Row{sql::Value::integer(table.hidden++)};
      entry.initial = version(row);
      table.entries.push_back(std::move(entry));
    }
    std::sort(
        table.entries.begin(), table.entries.end(),
        [](const Entry& a, const Entry& b) { return precedes(a.key, b.key); });
    tables_.push_back(std::move(table));
  }
}

std::size_t Universe::place_for(TableId table, const sql::Row& key) const {
  const auto& entries = tables_[table.index].entries;
  return static_cast<std::size_t>(
      std::lower_bound(entries.begin(), entries.end(), key,
                       [](const Entry& e, const sql::Row& k) {
                         return precedes(e.key, k);
                       }) -
      entries.begin());
}

std::optional<std::size_t> Universe::find(TableId table,
                                          const sql::Row& key) const {
  const auto& entries = tables_[table.index].entries;
  const std::size_t at = place_for(table, key);
  if (at == entries.size() || precedes(key, entries[at].key)) {
    return std::nullopt;
  }
  return at;
}

std::optional<sql::Row> Universe::whole_key(
    TableId table, std::span<const std::uint32_t> columns,
    std::span<const sql::Value> values) const {
  const sql::Table& schema = application_.schema.at(table);
  if (!schema.has_primary_key) return std::nullopt;
  sql::Row key;
  for (const std::uint32_t c : schema.unique.front().columns) {
    const auto at = std::find(columns.begin(), columns.end(), c);
    if (at == columns.end()) return std::nullopt;
    key.push_back(
        canonical(values[static_cast<std::size_t>(at - columns.begin())]));
  }
  return key;
}

sql::Row Universe::key_of(TableId table, const sql::Row& row) const {
  const sql::Table& schema = application_.schema.at(table);
  assert(schema.has_primary_key && "a hidden key is no part of the row");
  sql::Row key;
  for (const std::uint32_t c : schema.unique.front().columns) {
    key.push_back(canonical(row[c]));
  }
  return key;
}

std::int64_t Universe::version(const sql::Row& row) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      versions_.try_emplace(row, static_cast<std::int64_t>(rows_.size()) + 1);
  if (is_new) rows_.push_back(row);
  return found->second;
}

const sql::Row& Universe::row(std::int64_t version) const {
  assert(version != kAbsent && "an absent row has no columns");
  const std::lock_guard lock(mutex_);
  return rows_[static_cast<std::size_t>(version - 1)];
}

void Universe::want(TableId table, const sql::Row& key) {
  const std::lock_guard lock(mutex_);
  wanted_.emplace_back(table, key);
  is_outgrown_.store(true);
}

void Universe::share_wants(transport::Group& ranks) {
  ByteWriter mine;
  for (const auto& [table, key] : wanted_) {
    mine.number(table.index);
    write(key, mine);
  }
  const std::vector<std::string> all = ranks.all_gather(mine.bytes());
  wanted_.clear();
  for (const std::string& bytes : all) {
    ByteReader from(bytes);
    while (!from.rest().empty() && from.is_good()) {
      const TableId table(from.number());
      want(table, sql::read_row(from));
    }
  }
}

bool Universe::grow() {
  if (!is_outgrown_.exchange(false)) return false;
  // In an order that does not depend on which thread came first.
  std::sort(wanted_.begin(), wanted_.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return precedes(a.second, b.second);
  });
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  for (auto& [table, key] : wanted_) {
    auto& entries = tables_[table.index].entries;
    auto at = find(table, key);
    if (!at) {
      at = place_for(table, key);
      entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(*at),
                     Entry{key, std::nullopt, kAbsent});
    }
    if (entries[*at].open) continue;
    entries[*at].open = KeyId(initial_.size());
    initial_.push_back(entries[*at].initial);
    open_.emplace_back(table, key);
  }
  wanted_.clear();
  return true;
}

std::string Universe::name(KeyId key) const {
  const auto& [table, values] = open_[key.index];
  const sql::Table& schema = application_.schema.at(table);
  std::string out = schema.name + "(";
  if (!schema.has_primary_key) out += "row ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    out += to_string(values[i]);
  }
  return out + ")";
}

std::int64_t Universe::number(std::uint32_t sequence, exec::InstanceId instance,
                              std::uint64_t k) const {
  const std::uint64_t n = instance.index - 1 + k * (instances_ - 1);
  return sequences_[sequence] +
         application_.schema.sequences[sequence].increment *
             static_cast<std::int64_t>(n);
}

sql::Row Universe::hidden_key(TableId table, exec::InstanceId instance,
                              std::uint64_t k) const {
  const std::uint64_t n = instance.index - 1 + k * (instances_ - 1);
  return {sql::Value::integer(tables_[table.index].hidden +
                              static_cast<std::int64_t>(n))};
}

}  // namespace txscope::explore
