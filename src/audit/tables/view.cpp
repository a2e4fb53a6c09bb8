#include "audit/tables/view.h"

#include <algorithm>

#include "exec/sql/value/compare.h"

namespace txscope::audit {
namespace {

bool has_values(const sql::Row& row, std::span<const std::uint32_t> columns,
                std::span<const sql::Value> values) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const sql::Value& value = row[columns[i]];
    if (value.is_null() || sql::compare(value, values[i]) != 0) return false;
  }
  return true;
}

}  // namespace

RowPtr View::row(TableId table, std::uint64_t handle) const {
  if (const auto* own = own_.find(table, handle)) return own->now;
  if (handle >= kOwnRow) return nullptr;
  const RowPtr* row =
      tables_.visible(table, static_cast<RowNumber>(handle), at_);
  return row == nullptr ? nullptr : *row;
}

/// Whether an access wants another primary key than that of a row.
bool View::has_other_key(const sql::Access& access, const sql::Row& row) const {
  const sql::Table& table = tables_.schema().at(access.table);
  if (!table.has_primary_key) return false;
  const auto& key = table.unique[0].columns;
  return std::any_of(
      access.equal.begin(), access.equal.end(), [&](const auto& wanted) {
        return std::find(key.begin(), key.end(), wanted.first) != key.end() &&
               !has_values(row, std::span(&wanted.first, 1),
                           std::span(&wanted.second, 1));
      });
}

bool View::scan(const sql::Access& access, std::span<const KeyBound> bounds,
                const OnRow& on_row) {
  std::vector<std::uint64_t> own_shown;
  tables_.each(access, bounds, [&](RowNumber number) {
    if (visited_ != nullptr) visited_->emplace_back(access.table, number);
    if (const auto* own = own_.find(access.table, number)) {
      own_shown.push_back(number);
      if (own->now != nullptr) on_row({access.table, number}, *own->now);
      return;
    }
    if (chooser_ != nullptr) {
      if (const RowPtr row = chooser_->choose(access, number))
        on_row({access.table, number}, *row);
      return;
    }
    if (const RowPtr* row = tables_.visible(access.table, number, at_))
      on_row({access.table, number}, **row);
  });
  if (own_.empty()) return true;
  // An own version may match where the versions of others do not: each() finds
  // rows by key, which changes no more, or by what some version had.
  const auto& writes = own_.all();
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const OwnWrites::Write write = writes[i];
    if (write.table != access.table || write.now == nullptr) continue;
    if (write.handle >= kOwnRow) {
      on_row({access.table, write.handle}, *write.now);
      continue;
    }
    if (std::find(own_shown.begin(), own_shown.end(), write.handle) !=
        own_shown.end())
      continue;
    if (visited_ != nullptr && !has_other_key(access, *write.now))
      visited_->emplace_back(access.table,
                             static_cast<RowNumber>(write.handle));
    on_row({access.table, write.handle}, *write.now);
  }
  return true;
}

void View::each_equal(
    TableId table, std::span<const std::uint32_t> columns,
    std::span<const sql::Value> values, std::uint64_t except,
    const std::function<bool(std::uint64_t, const RowPtr&)>& on_row) const {
  for (const sql::Value& value : values)
    if (value.is_null()) return;
  bool goes_on = true;
  const auto try_row = [&](std::uint64_t handle, const RowPtr& there) {
    if (!goes_on || handle == except || there == nullptr) return;
    if (has_values(*there, columns, values)) goes_on = on_row(handle, there);
  };
  for (const auto& write : own_.all())
    if (write.table == table) try_row(write.handle, write.now);
  sql::Access access;
  access.table = table;
  for (std::size_t i = 0; i < columns.size(); ++i)
    access.equal.emplace_back(columns[i], values[i]);
  std::sort(access.equal.begin(), access.equal.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  tables_.each(access, {}, [&](RowNumber number) {
    if (visited_ != nullptr) visited_->emplace_back(table, number);
    if (own_.find(table, number) != nullptr) return;
    if (const RowPtr* there = tables_.visible(table, number, at_))
      try_row(number, *there);
  });
}

bool View::has(TableId table, std::span<const std::uint32_t> columns,
               std::span<const sql::Value> values, std::uint64_t except) const {
  bool is_found = false;
  each_equal(table, columns, values, except, [&](std::uint64_t, const RowPtr&) {
    is_found = true;
    return false;
  });
  return is_found;
}

Position last_change(const Tables& tables, const Visited& visited,
                     Position at) {
  Position last = kSetup;
  for (const auto& [table, row] : visited) {
    const auto& versions = tables.versions(table, row);
    for (auto v = versions.rbegin(); v != versions.rend() && v->at > last; ++v)
      if (v->at <= at) last = v->at;
  }
  return last;
}

}  // namespace txscope::audit
