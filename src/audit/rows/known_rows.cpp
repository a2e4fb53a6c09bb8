#include "audit/rows/known_rows.h"

#include <algorithm>

namespace txscope::audit {

using sql::Row;
using sql::Value;

namespace {

bool is_key_column(const sql::Table& table, std::uint32_t column) {
  const auto& key = table.unique[0].columns;
  return std::find(key.begin(), key.end(), column) != key.end();
}

}  // namespace

KnownRows::KnownRow& KnownRows::row(const sql::Table& table, const Row& key) {
  const auto [found, is_new] =
      numbers_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    KnownRow row{key, {}};
    row.settled.resize(table.columns.size());
    const auto& columns = table.unique[0].columns;
    for (std::size_t i = 0; i < columns.size() && i < key.size(); ++i)
      row.settled[columns[i]] = key[i];
    rows_.push_back(std::move(row));
  }
  return rows_[found->second];
}

void KnownRows::add(const sql::Table& table, const Row& key, const Row& row) {
  is_changed_.resize(table.columns.size(), false);
  KnownRow& known = this->row(table, key);
  for (std::uint32_t c = 0; c < row.size(); ++c)
    if (!is_key_column(table, c)) known.settled[c] = row[c];
}

void KnownRows::add(const sql::Table& table, const RowAccess& write) {
  is_changed_.resize(table.columns.size(), false);
  switch (write.kind) {
    case RowAccess::Kind::WildInsert: return add_anything(table);
    case RowAccess::Kind::WildUpdate:
    case RowAccess::Kind::Update:
      for (const Change& change : write.changes)
        is_changed_[change.column] = true;
      if (write.kind == RowAccess::Kind::Update) (void)row(table, write.key);
      return;
    case RowAccess::Kind::Delete: (void)row(table, write.key); return;
    case RowAccess::Kind::Insert: break;
    default: return;
  }
  const bool is_new = numbers_.count(write.key) == 0;
  KnownRow& known = row(table, write.key);
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    if (is_key_column(table, c)) continue;
    const Change* change = change_of(write.changes, c);
    const bool is_told =
        change != nullptr && change->kind == Change::Kind::Constant;
    if (is_told && is_new)
      known.settled[c] = change->value;
    else if (!is_told || known.settled[c] != change->value)
      known.settled[c].reset();
  }
}

void KnownRows::add_anything(const sql::Table& table) {
  is_changed_.assign(table.columns.size(), true);
}

void KnownRows::finish(const sql::Table& table) {
  is_changed_.resize(table.columns.size(), false);
  by_value_.resize(table.columns.size());
  is_indexed_.assign(table.columns.size(), false);
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    if (is_changed_[c] && !is_key_column(table, c))
      for (KnownRow& row : rows_) row.settled[c].reset();
    is_indexed_[c] = std::all_of(
        rows_.begin(), rows_.end(),
        [c](const KnownRow& row) { return row.settled[c].has_value(); });
    for (std::uint32_t i = 0; is_indexed_[c] && i < rows_.size(); ++i)
      by_value_[c][{sql::canonical(*rows_[i].settled[c])}].push_back(i);
  }
}

const std::vector<std::uint32_t>* KnownRows::with(std::uint32_t column,
                                                  const Value& value) const {
  if (column >= is_indexed_.size() || !is_indexed_[column]) return nullptr;
  const auto found = by_value_[column].find(Row{sql::canonical(value)});
  return found == by_value_[column].end() ? &nothing_ : &found->second;
}

}  // namespace txscope::audit
