#include "explore/sql/claims.h"

#include <algorithm>

#include "exec/sql/value/compare.h"
#include "exec/sql/value/index_entry.h"

namespace txscope::explore {

Claims::Claims(const sql::Schema& schema, const sql::MemoryDatabase& initial)
    : schema_(schema), routines_(initial.routines()) {
  Changes held;
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    for (const sql::Row& row : initial.rows(TableId(t))) {
      add(TableId(t), nullptr, &row, held);
    }
  }
  for (const Change& change : held) initial_[change.value] = change.rows;
}

std::uint32_t Claims::number(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      numbers_.try_emplace(key, static_cast<std::uint32_t>(initial_.size()));
  if (!is_new) return found->second;
  const sql::UniqueKey& shape = schema_.at(key.table).key_at(key.constraint);
  initial_.push_back(0);
  rivals_.emplace_back();
  is_unique_.push_back(!shape.is_exclusion);
  if (!shape.is_exclusion) return found->second;
  for (const auto& [other, number] : numbers_) {
    if (!are_rivals(key, other)) continue;
    rivals_[found->second].push_back(number);
    if (number != found->second) rivals_[number].push_back(found->second);
  }
  return found->second;
}

bool Claims::are_rivals(const Key& a, const Key& b) const {
  return a.table == b.table && a.constraint == b.constraint &&
         excludes(schema_.at(a.table).key_at(a.constraint), a.values, b.values);
}

void Claims::add(TableId table, const sql::Row* before, const sql::Row* after,
                 Changes& to) {
  const sql::Table& schema = schema_.at(table);
  Key old{table, 0, {}};
  Key now{table, 0, {}};
  for (std::size_t u = 0; u < schema.key_count(); ++u) {
    old.constraint = now.constraint = static_cast<std::uint32_t>(u);
    const sql::UniqueKey& key = schema.key_at(u);
    const auto has_values = [&](const sql::Row* row, sql::Row& values) {
      if (row == nullptr) return false;
      auto entry = index_entry(routines_, key, *row);
      if (entry) values = std::move(*entry);
      return entry.has_value();
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
  const auto rows_of = [&](std::uint32_t value) {
    std::int32_t rows = 0;
    for (const Changes* one : all)
      for (const Change& c : *one)
        if (c.value == value) rows += c.rows;
    return rows;
  };
  for (const Changes* one : all) {
    for (const Change& change : *one) {
      if (change.rows <= 0) continue;
      const std::int32_t rows = rows_of(change.value);
      if (rows <= 0) continue;
      const std::lock_guard lock(mutex_);
      const std::int32_t held = rows + initial_[change.value];
      if (is_unique_[change.value] && held > 1) return false;
      for (const std::uint32_t rival : rivals_[change.value]) {
        const std::int32_t others = rows_of(rival) + initial_[rival];
        if (held > 0 && others > (rival == change.value ? 1 : 0)) return false;
      }
    }
  }
  return true;
}

}  // namespace txscope::explore
