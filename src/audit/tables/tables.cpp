#include "audit/tables/tables.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/value/compare.h"

namespace txscope::audit {
namespace {

using sql::Row;
using sql::Value;

int compare_values(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null())
    return a.is_null() == b.is_null() ? 0 : a.is_null() ? -1 : 1;
  if (a.kind() != b.kind() && a.kind() != sql::Kind::Numeric &&
      b.kind() != sql::Kind::Numeric)
    return a.kind() < b.kind() ? -1 : 1;
  return sql::compare(a, b);
}

std::uint64_t value_hash(const Value& value) {
  // An integer and a numeric that SQL holds equal must meet.
  if (value.kind() == sql::Kind::Integer)
    return sql::canonical(Value::numeric(value.integer(), 0)).hash();
  return sql::canonical(value).hash();
}

std::uint64_t hash_of_values(std::span<const std::uint32_t> columns,
                             const Row& row) {
  std::uint64_t hash = 0;
  for (const std::uint32_t column : columns)
    hash = mixed(hash, value_hash(row[column]));
  return hash;
}

/// One more version of a row.
template <class Counted>
void count_row(Counted& rows, const Row& key, RowNumber number) {
  auto& numbers = rows[key];
  const auto found =
      std::find_if(numbers.begin(), numbers.end(),
                   [number](const auto& one) { return one.first == number; });
  if (found == numbers.end())
    numbers.emplace_back(number, 1);
  else
    ++found->second;
}

RowNumber number_of(RowNumber number) { return number; }
RowNumber number_of(const std::pair<RowNumber, std::uint32_t>& counted) {
  return counted.first;
}

/// Calls `on_row` for the rows whose key begins with `prefix` and goes on
/// within the bounds; `columns` are those of the key.
template <class Order>
void each_in_order(const Order& rows, std::span<const std::uint32_t> columns,
                   Row prefix, std::span<const KeyBound> bounds,
                   const sql::Access& access,
                   const std::function<void(RowNumber)>& on_row) {
  const std::size_t shared = prefix.size();
  auto i = rows.lower_bound(prefix);
  std::optional<Value> most;
  if (i != rows.end() && shared < columns.size()) {
    for (const KeyBound& bound : bounds) {
      if (bound.column != columns[shared] ||
          bound.value.kind() != i->first[shared].kind())
        continue;
      if (!bound.is_lower) {
        if (!most || sql::compare(bound.value, *most) < 0) most = bound.value;
      } else if (prefix.size() == shared) {
        prefix.push_back(bound.value);
      } else if (sql::compare(bound.value, prefix.back()) > 0) {
        prefix.back() = bound.value;
      }
    }
    if (prefix.size() > shared) i = rows.lower_bound(prefix);
    prefix.resize(shared);
  }
  for (; i != rows.end(); ++i) {
    const Row& key = i->first;
    if (KeyLess{}(prefix, std::span(key).first(shared))) return;
    if (most && sql::compare(key[shared], *most) > 0) return;
    if (shared == 0 && !columns.empty() && access.may_match &&
        !access.may_match(key))
      continue;
    for (const auto& one : i->second) on_row(number_of(one));
  }
}

bool has_position(const std::vector<Tables::Version>& chain, Position after,
                  Position before) {
  const auto first = std::partition_point(
      chain.begin(), chain.end(),
      [after](const Tables::Version& v) { return v.at <= after; });
  return first != chain.end() && first->at < before;
}

}  // namespace

bool KeyLess::operator()(std::span<const Value> a,
                         std::span<const Value> b) const {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i)
    if (const int order = compare_values(a[i], b[i]); order != 0)
      return order < 0;
  return a.size() < b.size();
}

Tables::Tables(const sql::Schema& schema)
    : schema_(&schema), tables_(schema.tables.size()) {}

Row Tables::key_of(TableId table, const Row& row) const {
  const sql::Table& t = schema_->at(table);
  Row key;
  if (!t.has_primary_key) return key;
  for (const std::uint32_t column : t.unique[0].columns)
    key.push_back(row[column]);
  return key;
}

Row Tables::identity(TableId table, RowNumber number, const Row& row) const {
  if (schema_->at(table).has_primary_key) return key_of(table, row);
  return {Value::integer(number)};
}

RowNumber Tables::add_row(TableId table, const Row& row) {
  TableVersions& t = tables_[table.index];
  RowNumber number;
  if (!t.free.empty()) {
    number = t.free.back();
    t.free.pop_back();
  } else {
    number = static_cast<RowNumber>(t.chains.size());
    t.chains.emplace_back();
  }
  t.by_key[identity(table, number, row)].push_back(number);
  return number;
}

void Tables::drop_row(TableId table, RowNumber number, const Row& row) {
  TableVersions& t = tables_[table.index];
  const auto found = t.by_key.find(identity(table, number, row));
  assert(found != t.by_key.end());
  std::erase(found->second, number);
  if (found->second.empty()) t.by_key.erase(found);
  t.chains[number].clear();
  t.free.push_back(number);
}

void Tables::index(TableId table, RowNumber number, const Row& row) {
  TableVersions& t = tables_[table.index];
  if (t.by_columns.empty()) return;
  const Row key = identity(table, number, row);
  for (auto& [columns, rows] : t.by_columns)
    count_row(rows[hash_of_values(columns, row)], key, number);
}

void Tables::unindex(TableId table, RowNumber number, const Row& row) {
  TableVersions& t = tables_[table.index];
  if (t.by_columns.empty()) return;
  const Row key = identity(table, number, row);
  for (auto& [columns, rows] : t.by_columns) {
    const auto found = rows.find(hash_of_values(columns, row));
    if (found == rows.end()) continue;
    const auto lives = found->second.find(key);
    if (lives == found->second.end()) continue;
    auto& numbers = lives->second;
    const auto count =
        std::find_if(numbers.begin(), numbers.end(),
                     [number](const auto& one) { return one.first == number; });
    if (count == numbers.end() || --count->second > 0) continue;
    numbers.erase(count);
    if (numbers.empty()) found->second.erase(lives);
    if (found->second.empty()) rows.erase(found);
  }
}

std::uint64_t Tables::hash_of(TableId table, const RowPtr& row) {
  if (row == nullptr) return 0;
  std::uint64_t h = sql::RowHash{}(*row) + table.index * 0x9e3779b97f4a7c15ull;
  h ^= h >> 31;
  h *= 0xbf58476d1ce4e5b9ull;
  return h ^ (h >> 29);
}

void Tables::put(Effects& effects, Position at) {
  for (Effect& effect : effects) {
    TableVersions& t = tables_[effect.table.index];
    if (effect.is_new) effect.row = add_row(effect.table, *effect.now);
    auto& chain = t.chains[effect.row];
    const auto place =
        std::partition_point(chain.begin(), chain.end(),
                             [at](const Version& v) { return v.at <= at; });
    if (place == chain.end()) {
      if (!chain.empty()) hash_ -= hash_of(effect.table, chain.back().row);
      hash_ += hash_of(effect.table, effect.now);
    }
    chain.insert(place, Version{at, effect.now});
    ++live_;
    if (effect.now != nullptr) index(effect.table, effect.row, *effect.now);
    t.touched.emplace_back(at, effect.row);
  }
}

void Tables::undo(const Effects& effects, Position at) {
  for (auto e = effects.rbegin(); e != effects.rend(); ++e) {
    TableVersions& t = tables_[e->table.index];
    auto& chain = t.chains[e->row];
    const auto found =
        std::find_if(chain.rbegin(), chain.rend(),
                     [at](const Version& v) { return v.at == at; });
    assert(found != chain.rend());
    const bool is_last = found == chain.rbegin();
    if (is_last) hash_ -= hash_of(e->table, e->now);
    chain.erase(std::next(found).base());
    if (is_last && !chain.empty()) hash_ += hash_of(e->table, chain.back().row);
    --live_;
    if (e->now != nullptr) unindex(e->table, e->row, *e->now);
    if (e->is_new) drop_row(e->table, e->row, *e->now);
    const auto touched =
        std::find(t.touched.rbegin(), t.touched.rend(), std::pair(at, e->row));
    if (touched != t.touched.rend()) t.touched.erase(std::next(touched).base());
  }
}

const RowPtr* Tables::visible(TableId table, RowNumber row, Position at) const {
  const auto& chain = tables_[table.index].chains[row];
  for (auto v = chain.rbegin(); v != chain.rend(); ++v)
    if (v->at <= at) return v->row == nullptr ? nullptr : &v->row;
  return nullptr;
}

const Tables::ValueIndex& Tables::value_index(
    TableId table, std::span<const std::uint32_t> columns) const {
  TableVersions& t = tables_[table.index];
  const auto [found, is_new] = t.by_columns.try_emplace(
      std::vector<std::uint32_t>(columns.begin(), columns.end()));
  if (is_new) {
    for (RowNumber number = 0; number < t.chains.size(); ++number)
      for (const Version& version : t.chains[number])
        if (version.row != nullptr)
          count_row(found->second[hash_of_values(columns, *version.row)],
                    identity(table, number, *version.row), number);
  }
  return found->second;
}

void Tables::each(const sql::Access& access, std::span<const KeyBound> bounds,
                  const std::function<void(RowNumber)>& on_row) const {
  const TableVersions& t = tables_[access.table.index];
  const sql::Table& table = schema_->at(access.table);
  // As many first columns of the key as are given narrow the range.
  std::span<const std::uint32_t> key;
  Row prefix;
  if (table.has_primary_key) {
    key = table.unique[0].columns;
    for (const std::uint32_t column : key) {
      const auto given =
          std::find_if(access.equal.begin(), access.equal.end(),
                       [column](const auto& e) { return e.first == column; });
      if (given == access.equal.end()) break;
      prefix.push_back(given->second);
    }
  }
  const bool is_whole_key = !key.empty() && prefix.size() == key.size();
  if (is_whole_key || prefix.size() == access.equal.size())
    return each_in_order(t.by_key, key, std::move(prefix), bounds, access,
                         on_row);
  std::vector<std::uint32_t> columns;
  std::uint64_t hash = 0;
  for (const auto& [column, value] : access.equal) {
    columns.push_back(column);
    hash = mixed(hash, value_hash(value));
  }
  const ValueIndex& index = value_index(access.table, columns);
  const auto rows = index.find(hash);
  if (rows != index.end())
    each_in_order(rows->second, key, std::move(prefix), bounds, access, on_row);
}

Position Tables::last_turn(TableId table, RowNumber row,
                           std::span<const std::uint32_t> columns,
                           std::span<const sql::Value> values,
                           Position until) const {
  Position turn = kSetup;
  bool had = false;
  for (const Version& version : versions(table, row)) {
    if (version.at > until) break;
    bool has = version.row != nullptr;
    for (std::size_t i = 0; has && i < columns.size(); ++i) {
      const sql::Value& value = (*version.row)[columns[i]];
      has = !value.is_null() && sql::compare(value, values[i]) == 0;
    }
    if (has != had) turn = version.at;
    had = has;
  }
  return turn;
}

bool Tables::is_row_written(TableId table, RowNumber row, Position after,
                            Position before) const {
  return has_position(tables_[table.index].chains[row], after, before);
}

bool Tables::is_key_written(TableId table, std::span<const Value> key,
                            Position after, Position before) const {
  const TableVersions& t = tables_[table.index];
  const auto found = t.by_key.find(key);
  if (found == t.by_key.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](RowNumber number) {
                       return has_position(t.chains[number], after, before);
                     });
}

std::vector<std::vector<Tables::Version>> Tables::rows(TableId table) const {
  std::vector<std::vector<Version>> rows;
  for (const auto& [key, numbers] : tables_[table.index].by_key)
    for (const RowNumber number : numbers)
      rows.push_back(tables_[table.index].chains[number]);
  return rows;
}

void Tables::restore(TableId table,
                     const std::vector<std::vector<Version>>& rows) {
  TableVersions& t = tables_[table.index];
  for (const auto& versions : rows) {
    const RowNumber number = add_row(table, *versions.front().row);
    t.chains[number] = versions;
    live_ += versions.size();
    hash_ += hash_of(table, versions.back().row);
    for (const Version& version : versions) {
      if (version.row != nullptr) index(table, number, *version.row);
      if (version.at != kSetup) t.touched.emplace_back(version.at, number);
    }
  }
}

void Tables::forget_before(Position oldest) {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    TableVersions& t = tables_[i];
    std::vector<std::pair<Position, RowNumber>> later;
    for (const auto& [at, number] : t.touched) {
      if (at > oldest) {
        later.emplace_back(at, number);
        continue;
      }
      auto& chain = t.chains[number];
      // Keep the last one that `oldest` sees.
      RowPtr last;
      while (chain.size() > 1 && chain[1].at <= oldest) {
        last = chain.front().row;
        if (last != nullptr) unindex(TableId(i), number, *last);
        chain.erase(chain.begin());
        --live_;
      }
      if (chain.size() == 1 && chain[0].row == nullptr && last != nullptr) {
        drop_row(TableId(i), number, *last);
        --live_;
      }
    }
    t.touched = std::move(later);
  }
}

}  // namespace txscope::audit
