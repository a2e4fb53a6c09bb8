#include "exec/sql/query/join.h"

#include <cassert>
#include <utility>

namespace txscope::sql {

const Row& null_row(std::size_t columns) {
  // PostgreSQL has at most 1600 columns in a table, 1664 in a target list.
  static const Row kNulls(2048);
  assert(columns <= kNulls.size() && "more columns than a relation can have");
  (void)columns;
  return kNulls;
}

NestedLoops::NestedLoops(Evaluation& evaluation, const Plan& plan,
                         std::span<const Relation> relations,
                         std::span<const Join> joins, const Scope* outer)
    : evaluation_(evaluation),
      plan_(plan),
      relations_(relations),
      joins_(joins),
      rows_(relations.size()),
      handles_(relations.size()),
      fetched_(relations.size()),
      scope_{rows_.data(), nullptr, outer} {
  for (std::size_t i = 0; i < relations.size(); ++i)
    rows_[i] = &null_row(relations[i].columns);
}

void NestedLoops::run(const OnRow& on_row) {
  if (!evaluation_.are_true(plan_.before, scope_)) return;
  if (!loop(0, on_row)) return;
  for (std::size_t i = 0; i < joins_.size(); ++i)
    if (joins_[i].kind == JoinKind::Full && !loop_alone(i, on_row)) return;
}

bool NestedLoops::loop_alone(std::size_t i, const OnRow& on_row) {
  const std::vector<FoundRow>& found = fetch(i);
  fetched_[i].has_match.resize(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!evaluation_.goes_on()) return false;
    if (fetched_[i].has_match[k]) continue;
    for (std::size_t before = 0; before < i; ++before) {
      rows_[before] = &null_row(relations_[before].columns);
      handles_[before] = RowHandle{};
    }
    if (!try_row(i, found[k].row, found[k].handle, on_row)) return false;
  }
  return evaluation_.goes_on();
}

bool NestedLoops::loop(std::size_t i, const OnRow& on_row) {
  if (i == relations_.size()) return on_row();
  const bool is_outer = i < joins_.size() && joins_[i].kind != JoinKind::Inner;
  const bool is_full = is_outer && joins_[i].kind == JoinKind::Full;
  bool has_match = false;
  const std::vector<FoundRow>& found = fetch(i);
  if (is_full) fetched_[i].has_match.resize(found.size());
  for (const FoundRow& f : found) {
    if (!evaluation_.goes_on()) return false;
    rows_[i] = &f.row;
    if (!evaluation_.are_true(plan_.relations[i].later, scope_)) continue;
    has_match = true;
    if (is_full)
      fetched_[i].has_match[static_cast<std::size_t>(&f - found.data())] = true;
    if (!try_row(i, f.row, f.handle, on_row)) return false;
  }
  if (!evaluation_.goes_on()) return false;
  if (!is_outer || has_match) return true;
  return try_row(i, null_row(relations_[i].columns), RowHandle{}, on_row);
}

bool NestedLoops::try_row(std::size_t i, const Row& row, RowHandle handle,
                          const OnRow& on_row) {
  rows_[i] = &row;
  handles_[i] = handle;
  if (!evaluation_.are_true(plan_.relations[i].after, scope_))
    return !evaluation_.halt().is_set();
  return loop(i + 1, on_row);
}

const std::vector<FoundRow>& NestedLoops::fetch(std::size_t i) {
  Fetched& fetched = fetched_[i];
  if (fetched.is_known && !plan_.relations[i].depends_on_others &&
      !relations_[i].is_lateral)
    return fetched.rows;
  if (relations_[i].query == nullptr) {
    fetched.rows.clear();
    scan(i, fetched.rows);
    fetched.is_known = true;
    return fetched.rows;
  }
  if (!fetched.is_known || relations_[i].is_lateral) {
    fetched.rows.clear();
    const std::uint64_t most = i == 0 ? wanted_ : 0;
    for (Row& row : evaluation_.rows_of(*relations_[i].query, &scope_, most))
      fetched.rows.push_back({RowHandle{}, std::move(row)});
    fetched.is_known = true;
  }
  return fetched.rows;
}

void NestedLoops::scan(std::size_t i, std::vector<FoundRow>& found) {
  Access access;
  access.table = relations_[i].table;
  access.relation = &relations_[i];
  if (!probe(i, access)) return;
  limit_keys(i, access);
  if (evaluation_.halt().is_set()) return;
  const std::span<const Expr* const> conditions = plan_.relations[i].now;
  ScanWatcher* const watcher = evaluation_.watcher();
  std::vector<Row> shown;  // only for the watcher
  const auto on_row = [&](RowHandle handle, const Row& row) {
    if (!evaluation_.goes_on()) return;
    if (watcher != nullptr) shown.push_back(row);
    rows_[i] = &row;
    if (evaluation_.are_true(conditions, scope_))
      found.push_back({handle, row});
  };
  if (evaluation_.store() == nullptr) {
    evaluation_.halt().raise_ours("a table, where none can be read");
    return;
  }
  if (!evaluation_.store()->scan(access, std::cref(on_row)))
    evaluation_.halt().interrupt();
  if (watcher != nullptr) watcher->scanned(access, shown);
}

/// What the columns must equal; false: it cannot be, there is a NULL.
bool NestedLoops::probe(std::size_t i, Access& access) {
  Halt& halt = evaluation_.halt();
  for (const RelationPlan::Probe& probe : plan_.relations[i].equal) {
    const Value value = evaluation_.eval(*probe.value, scope_);
    if (halt.is_error()) {
      halt.clear();  // the error is that of a row, if there is one
      continue;
    }
    if (halt.is_set() || value.is_null()) return false;
    access.equal.emplace_back(probe.column, value);
  }
  return true;
}

void NestedLoops::limit_keys(std::size_t i, Access& access) {
  // Subqueries are run before, so that the store is not asked while it answers.
  std::vector<const Expr*> conditions;
  for (const Expr* e : plan_.relations[i].key) {
    evaluation_.run_subqueries(*e, scope_);
    if (!evaluation_.halt().is_set())
      conditions.push_back(e);
    else if (evaluation_.halt().is_error())
      evaluation_.halt().clear();  // if it is that of a row, that will tell
  }
  if (conditions.empty()) return;
  const Table& table = evaluation_.schema().at(relations_[i].table);
  access.may_match =
      [this, i, conditions = std::move(conditions), &table,
       row = Row(table.columns.size())](std::span<const Value> key) mutable {
        const std::vector<std::uint32_t>& columns = table.unique[0].columns;
        for (std::size_t k = 0; k < key.size(); ++k) row[columns[k]] = key[k];
        rows_[i] = &row;
        Halt& halt = evaluation_.halt();
        if (halt.is_set()) return true;
        const bool matches = evaluation_.are_true(conditions, scope_);
        if (!halt.is_error()) return matches;
        halt.clear();
        return true;
      };
}

}  // namespace txscope::sql
