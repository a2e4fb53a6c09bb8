#include "report/document/known_tables.h"

#include <algorithm>

#include "base/ascii.h"
#include "model/sql/value/value.h"

namespace txscope::report::document {
namespace {

/// Numbers in names by their value: accounts(2) before accounts(10).
bool is_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (ascii::is_digit(a.front()) && ascii::is_digit(b.front())) {
      const auto digits = [](std::string_view text) {
        std::size_t n = 0;
        while (n < text.size() && ascii::is_digit(text[n])) ++n;
        return n;
      };
      const std::size_t n = digits(a);
      const std::size_t m = digits(b);
      if (n != m) return n < m;
      const int order = a.substr(0, n).compare(b.substr(0, m));
      if (order != 0) return order < 0;
      a.remove_prefix(n);
      b.remove_prefix(m);
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

std::string cell_text(const sql::Value& value) {
  return value.is_null() ? "NULL" : to_string(value);
}

}  // namespace

bool KnownTables::Key::operator<(const Key& other) const {
  if (table != other.table) return table < other.table;
  if (is_before(name, other.name)) return true;
  return !is_before(other.name, name) && name < other.name;
}

KnownTables::Key KnownTables::key_of(const RowUse& use) {
  const std::size_t open = use.key.find('(');
  if (open == std::string::npos) return {"", use.key};
  return {use.key.substr(0, open), use.key};
}

KnownTables::KnownTables(const Workload& workload,
                         const Counterexample& example) {
  for (const Workload::Table& table : workload.tables)
    columns_.emplace(table.name, table.columns);
  for (const txscope::Step& step : example.steps)
    for (const RowUse& read : step.reads)
      if (!read.writer && !read.is_own) begin_with(key_of(read), read.row);
  for (const txscope::Step& step : example.steps)
    for (const RowUse& write : step.writes)
      begin_with(key_of(write), std::nullopt);
  for (const FinalTable& table : example.finals)
    for (const RowUse& use : table.rows) {
      if (use.writer) continue;
      Key key = key_of(use);
      // A row without a name of its own: by what is in it.
      if (use.key.empty() && use.row)
        key = {table.name, table.name + row_text(*use.row)};
      begin_with(key, use.row);
    }
}

void KnownTables::begin_with(const Key& key,
                             const std::optional<sql::Row>& row) {
  known_.try_emplace(key, Version{row, row, false, {}, ""});
}

void KnownTables::take(const std::string& who,
                       const std::vector<RowUse>& writes, End end) {
  for (auto& [key, version] : known_) {
    version.before = version.row;
    version.is_changed = false;
    version.changed_pending.clear();
  }
  for (const RowUse& write : writes) {
    Version& version = known_[key_of(write)];
    version.pending[who] = write.row;
    version.changed_pending = who;
  }
  if (end == End::None) return;
  for (auto& [key, version] : known_) {
    const auto mine = version.pending.find(who);
    if (mine == version.pending.end()) continue;
    if (end == End::Commit) {
      version.row = mine->second;
      version.is_changed = true;
    }
    version.pending.erase(mine);
  }
}

void KnownTables::take(const Workload& workload, const txscope::Step& step) {
  using Kind = txscope::Step::Kind;
  take(workload.name(step.call), step.writes,
       step.kind == Kind::Commit     ? End::Commit
       : step.kind == Kind::Rollback ? End::Rollback
                                     : End::None);
}

std::vector<std::string> KnownTables::columns_of(
    const std::string& table) const {
  if (table.empty()) return {"key", "value"};
  const auto known = columns_.find(table);
  return known == columns_.end() ? std::vector<std::string>() : known->second;
}

std::vector<std::string> KnownTables::cells_of(const Key& key,
                                               const sql::Row& row) const {
  std::vector<std::string> cells;
  if (key.table.empty()) cells.push_back(key.name);
  for (const sql::Value& value : row) cells.push_back(cell_text(value));
  return cells;
}

void KnownTables::show(const Key& key, const Version& version,
                       Table& table) const {
  const auto add = [&](const sql::Row& row, const std::optional<sql::Row>& old,
                       bool is_marked) -> TableRow& {
    TableRow& out = table.rows.emplace_back();
    out.cells = cells_of(key, row);
    std::vector<std::string> before;
    if (old) before = cells_of(key, *old);
    for (std::size_t i = 0; i < out.cells.size(); ++i)
      out.changed.push_back(is_marked &&
                            (i >= before.size() || before[i] != out.cells[i]));
    return out;
  };
  if (version.row)
    add(*version.row, version.before, version.is_changed);
  else if (version.is_changed && version.before)
    add(*version.before, version.before, false).is_gone = true;
  for (const auto& [who, row] : version.pending) {
    const bool is_marked = version.changed_pending == who;
    if (row) {
      add(*row, version.row, is_marked).pending = who;
    } else if (version.row) {
      TableRow& out = add(*version.row, version.row, false);
      out.pending = who;
      out.is_gone = true;
    }
  }
}

std::vector<Table> KnownTables::now() const {
  std::vector<Table> tables;
  for (const auto& [key, version] : known_) {
    if (tables.empty() || tables.back().name != key.table)
      tables.push_back({key.table, columns_of(key.table), {}});
    show(key, version, tables.back());
  }
  return tables;
}

}  // namespace txscope::report::document
