#include "explore/sql/claims.h"

#include <algorithm>

#include "exec/sql/compare.h"
#include "exec/sql/partial_index.h"

namespace txscope::sql {
namespace {

/// The values that a row has in some columns; nothing if one is NULL.
bool values_of(const Row* row, const std::vector<std::uint32_t>& columns,
               Row& values) {
  values.clear();
  if (row == nullptr) return false;
  for (const std::uint32_t c : columns) {
    if ((*row)[c].is_null()) return false;
    values.push_back(canonical((*row)[c]));
  }
  return true;
}

}  // namespace

Claims::Claims(const Schema& schema, const MemoryDatabase& initial)
    : schema_(schema), routines_(initial.routines()) {
  Changes held;
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    for (const Row& row : initial.rows(TableId(t))) {
      add(TableId(t), nullptr, &row, held);
    }
  }
  for (const Change& change : held) initial_[change.value] = change.rows;
}

std::uint32_t Claims::number(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      numbers_.try_emplace(key, static_cast<std::uint32_t>(initial_.size()));
  if (is_new) initial_.push_back(0);
  return found->second;
}

void Claims::add(TableId table, const Row* before, const Row* after,
                 Changes& to) {
  const Table& schema = schema_.at(table);
  Key old{table, 0, {}};
  Key now{table, 0, {}};
  for (std::size_t u = 0; u < schema.key_count(); ++u) {
    old.constraint = now.constraint = static_cast<std::uint32_t>(u);
    const UniqueKey& key = schema.key_at(u);
    const auto has_values = [&](const Row* row, Row& values) {
      return values_of(row, key.columns, values) &&
             is_in_index(routines_, key, *row);
    };
    const bool was = has_values(before, old.values);
    const bool is = has_values(after, now.values);
    if (was && is && old.values == now.values) continue;
    if (was) add({number(old), -1}, to);
    if (is) add({number(now), 1}, to);
  }
}

void Claims::add(Change change, Changes& to) {
  const auto at = std::lower_bound(
      to.begin(), to.end(), change,
      [](const Change& a, const Change& b) { return a.value < b.value; });
  if (at == to.end() || at->value != change.value) {
    to.insert(at, change);
  } else {
    at->rows += change.rows;
    if (at->rows == 0) to.erase(at);
  }
}

void Claims::merge(const Changes& from, Changes& to) {
  for (const Change& change : from) add(change, to);
}

bool Claims::allow(const std::vector<const Changes*>& all) const {
  // Few transactions, few values each: quadratic is fine.
  for (const Changes* one : all) {
    for (const Change& change : *one) {
      if (change.rows <= 0) continue;
      std::int32_t rows = 0;
      for (const Changes* other : all) {
        for (const Change& c : *other) {
          if (c.value == change.value) rows += c.rows;
        }
      }
      if (rows <= 0) continue;
      const std::lock_guard lock(mutex_);
      if (rows + initial_[change.value] > 1) return false;
    }
  }
  return true;
}

}  // namespace txscope::sql
