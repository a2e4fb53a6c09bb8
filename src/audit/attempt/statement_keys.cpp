// Keys: what is in the way of a unique one, and whom a foreign one names.

#include <algorithm>
#include <utility>

#include "audit/attempt/statement.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/index_entry.h"
#include "exec/sql/value/row_keys.h"

namespace txscope::audit {
namespace {

using sql::Row;
using sql::RowHandle;
using sql::Value;

Row values_of(const std::vector<std::uint32_t>& columns, const Row& row) {
  Row values;
  values.reserve(columns.size());
  for (const std::uint32_t column : columns) values.push_back(row[column]);
  return values;
}

/// Rows with these values; none: NULL is equal to nothing.
std::optional<sql::Access> access_of(TableId table,
                                     std::span<const std::uint32_t> columns,
                                     std::span<const Value> values) {
  sql::Access access;
  access.table = table;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (values[i].is_null()) return std::nullopt;
    access.equal.emplace_back(columns[i], values[i]);
  }
  std::sort(access.equal.begin(), access.equal.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return access;
}

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

bool has_values(const Row& row, const sql::Access& access) {
  return std::all_of(
      access.equal.begin(), access.equal.end(), [&](const auto& wanted) {
        const Value& value = row[wanted.first];
        return !value.is_null() && sql::compare(value, wanted.second) == 0;
      });
}

}  // namespace

Position AuditStatement::last_turn(TableId table,
                                   std::span<const std::uint32_t> columns,
                                   std::span<const Value> values) const {
  Position last = kSetup;
  const auto access = access_of(table, columns, values);
  if (!sight_.rechecks || !access) return last;
  tables_.each(*access, {}, [&](RowNumber number) {
    // Of a row of its own it has noted that when it took it.
    if (own_.find(table, number) != nullptr) return;
    last = std::max(last, tables_.last_turn(table, number, columns, values,
                                            sight_.constraints));
  });
  return last;
}

void AuditStatement::depend_on(TableId table,
                               std::span<const std::uint32_t> columns,
                               std::span<const Value> values) {
  waited_for_ = std::max(waited_for_, last_turn(table, columns, values));
}

std::optional<AuditStatement::Earlier> AuditStatement::find_first(
    const sql::Access& access, const InTheWay& is_in_the_way) const {
  std::optional<Earlier> first;
  const Position begin = sight_.chooser != nullptr ? kSetup : sight_.at;
  const Position end = sight_.keeps_snapshot ? sight_.at : sight_.constraints;
  tables_.each(access, {}, [&](RowNumber number) {
    if (own_.find(access.table, number) != nullptr) return;
    const auto& versions = tables_.versions(access.table, number);
    for (std::size_t v = 0; v < versions.size(); ++v) {
      const RowPtr& there = versions[v].row;
      const Position since = std::max(versions[v].at, begin);
      const bool is_over =
          v + 1 < versions.size() && versions[v + 1].at <= begin;
      if (there == nullptr || is_over || since > end ||
          (first && first->since <= since))
        continue;
      if (is_in_the_way(*there))
        first = Earlier{{{access.table, number}, *there}, since};
    }
  });
  return first;
}

// DO NOTHING locks nothing: the row in the way may be gone by now, and who
// inserted the one that is there now may have come later.
bool AuditStatement::find_arbiter(const sql::Access& access,
                                  const InTheWay& is_in_the_way, Position turn,
                                  std::optional<Match>& found) {
  if (found && own_.find(access.table, found->at.row) != nullptr) return true;
  auto first = find_first(access, is_in_the_way);
  if (found && sight_.keeps_snapshot) {
    if (!first) return conflict_with_writer();
    found = std::move(first->match);
    return true;
  }
  const bool is_other = first && (!found || first->since < turn);
  if (is_other && sight_.choices != nullptr && sight_.choices->choose(2) == 1) {
    turn = first->since;
    found = std::move(first->match);
  }
  if (sight_.rechecks) waited_for_ = std::max(waited_for_, turn);
  return true;
}

bool AuditStatement::has_changed_passed() const {
  return std::all_of(passed_.begin(), passed_.end(), [&](RowHandle at) {
    return own_.find(at.table, at.row) != nullptr;
  });
}

void AuditStatement::pass_rows(TableId table,
                               std::span<const std::uint32_t> columns,
                               std::span<const Value> values, RowHandle self,
                               std::optional<Match>& found) {
  // Only an UPDATE knows its row already.
  if (self.table == kNone<TableId>) return;
  if (found) {
    // It had been changed before, in the order in which the server came by.
    if (own_.find(table, found->at.row) == nullptr &&
        sight_.choices->choose(2) == 1) {
      passed_.push_back(found->at);
      found.reset();
    }
    return;
  }
  if (own_.mark() == mark_) return;
  const OwnWrites& begun = own_before();
  for (const OwnWrites::Write& write : own_.all()) {
    if (write.table != table || write.handle == self.row) continue;
    const OwnWrites::Write* then = begun.find(table, write.handle);
    if (then != nullptr && then->now == write.now) continue;
    const RowPtr& was = then != nullptr ? then->now : write.before;
    if (was == nullptr) continue;
    bool is_same = true;
    for (std::size_t i = 0; i < columns.size(); ++i)
      is_same &= !(*was)[columns[i]].is_null() &&
                 sql::compare((*was)[columns[i]], values[i]) == 0;
    if (!is_same) continue;
    if (sight_.choices->choose(2) == 1)
      found = Match{{table, write.handle}, *was};
    return;
  }
}

bool AuditStatement::find_duplicate(TableId table, std::size_t key,
                                    const Row& row, RowHandle self,
                                    Purpose purpose,
                                    std::optional<Match>& found) {
  if (sight_.is_unbound) return true;
  const sql::UniqueKey& shape = tables_.schema().at(table).key_at(key);
  if (shape.is_partial())
    return find_partial(table, shape, row, self, purpose, found);
  const auto& columns = shape.columns;
  const Row values = values_of(columns, row);
  const auto access = access_of(table, columns, values);
  if (!access) return true;
  const bool is_any = self.table == kNone<TableId>;
  latest_.each_equal(table, columns, values, is_any ? kNobody : self.row,
                     [&](std::uint64_t handle, const RowPtr& there) {
                       found = Match{{table, handle}, *there};
                       return false;
                     });
  const Position turn = last_turn(table, columns, values);
  if (purpose == Purpose::Arbiter)
    return find_arbiter(
        *access, [&](const Row& there) { return has_values(there, *access); },
        turn, found);
  waited_for_ = std::max(waited_for_, turn);
  if (sight_.choices != nullptr && !is_mysql_)
    pass_rows(table, columns, values, self, found);
  return true;
}

/// Of a key with expressions or WHERE, or of EXCLUDE.
bool AuditStatement::find_partial(TableId table, const sql::UniqueKey& key,
                                  const Row& row, RowHandle self,
                                  Purpose purpose,
                                  std::optional<Match>& found) {
  const bool is_any = self.table == kNone<TableId>;
  const sql::KeyConflict is_in_the_way(served(), key, row);
  sql::Access all;
  all.table = table;
  (void)latest_.scan(all, {}, [&](RowHandle at, const Row& there) {
    const bool is_self = !is_any && at.row == self.row;
    if (!found && !is_self && is_in_the_way(there)) found = Match{at, there};
  });
  const Position before = waited_for_;
  if (found) depend_on(found->at);
  if (purpose == Purpose::Arbiter) {
    const Position turn = std::exchange(waited_for_, before);
    return find_arbiter(all, is_in_the_way, turn, found);
  }
  if (found && !is_any && sight_.choices != nullptr &&
      own_.find(table, found->at.row) == nullptr &&
      sight_.choices->choose(2) == 1) {
    passed_.push_back(found->at);
    found.reset();
  }
  return true;
}

bool AuditStatement::lock_conflicting(RowHandle at, sql::LockStrength strength,
                                      Row& there) {
  if (sight_.keeps_snapshot && !keep(at, strength)) return false;
  depend_on(at);
  const RowPtr row = latest_.row(at.table, at.row);
  // DO UPDATE would have kept it.
  if (row == nullptr) return end_.wait(0);
  there = *row;
  return true;
}

bool AuditStatement::find_parent(const sql::ForeignKey& key, const Row& child,
                                 bool& is_found) {
  const Row values = values_of(key.columns, child);
  if (sight_.keeps_snapshot && !sight_.is_unbound)
    return find_seen_parent(key, values, is_found);
  depend_on(key.parent, key.parent_columns, values);
  is_found = sight_.is_unbound ||
             latest_.has(key.parent, key.parent_columns, values, kNobody);
  return true;
}

// One that was inserted since its snapshot is none.
bool AuditStatement::find_seen_parent(const sql::ForeignKey& key,
                                      const Row& values, bool& is_found) {
  RowHandle parent;
  view_.each_equal(key.parent, key.parent_columns, values, kNobody,
                   [&](std::uint64_t handle, const RowPtr&) {
                     is_found = true;
                     parent = {key.parent, handle};
                     return false;
                   });
  return !is_found || keep(parent, sql::LockStrength::KeyShare);
}

bool AuditStatement::is_replaced(const sql::ForeignKey& key, const Row& gone,
                                 bool& is_found) {
  is_found = sight_.is_unbound ||
             latest_.has(key.parent, key.parent_columns,
                         values_of(key.parent_columns, gone), kNobody);
  return true;
}

bool AuditStatement::find_children(TableId child, const sql::ForeignKey& key,
                                   const Row& parent,
                                   std::vector<RowHandle>& children) {
  if (sight_.is_unbound) return true;
  const Row values = values_of(key.parent_columns, parent);
  depend_on(child, key.columns, values);
  latest_.each_equal(child, key.columns, values, kNobody,
                     [&](std::uint64_t handle, const RowPtr&) {
                       children.push_back({child, handle});
                       return true;
                     });
  return true;
}

bool AuditStatement::lock_child(RowHandle at, const sql::ForeignKey& key,
                                const Row& parent, sql::LockStrength,
                                std::optional<Row>& row) {
  depend_on(at);
  const RowPtr there = latest_.row(at.table, at.row);
  if (there != nullptr &&
      sql::same_values(key.columns, *there, key.parent_columns, parent))
    row = *there;
  return true;
}

}  // namespace txscope::audit
