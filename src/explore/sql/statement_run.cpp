#include "explore/sql/statement_run.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/compare.h"

namespace txscope::sql {
namespace {

SqlError error(std::string sqlstate, std::string message, Span at) {
  SqlError out;
  out.sqlstate = std::move(sqlstate);
  out.message = std::move(message);
  out.at = at;
  return out;
}

Row pick(const Row& row, const std::vector<std::uint32_t>& columns) {
  Row out;
  for (const std::uint32_t c : columns) out.push_back(canonical(row[c]));
  return out;
}

bool has_null(const Row& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const Value& v) { return v.is_null(); });
}

/// Takes the value out of `from`; false if there is none.
template <class T>
bool take(Evaluated<T>& from, T& to,
          std::optional<std::variant<SqlError, Interrupted>>& stopped) {
  if (auto* value = std::get_if<T>(&from)) {
    to = std::move(*value);
    return true;
  }
  if (auto* e = std::get_if<SqlError>(&from)) {
    stopped = std::move(*e);
  } else {
    stopped = Interrupted{};
  }
  return false;
}

/// Numbers for serial columns, by instance.
class Numbers : public Sequences {
 public:
  Numbers(const Universe& universe, InstanceId instance, Drawn& drawn)
      : universe_(universe), instance_(instance), drawn_(drawn) {}
  std::int64_t next(std::uint32_t sequence) override {
    return universe_.number(sequence, instance_, drawn_.numbers[sequence]++);
  }

 private:
  const Universe& universe_;
  InstanceId instance_;
  Drawn& drawn_;
};

}  // namespace

Evaluated<StatementEffect> StatementRun::run(const DbStatement& statement,
                                             std::span<const Value> slots,
                                             std::uint64_t max_rows,
                                             Drawn& drawn) {
  Evaluator evaluator(routines_, reads_, slots, budget_);
  Stopped stopped;
  if (const auto* query = std::get_if<Select>(&statement.what)) {
    auto rows = evaluator.select(**query, max_rows);
    if (take(rows, effect_.result.rows, stopped)) {
      effect_.result.count = effect_.result.rows.size();
    }
  } else if (const auto* i = std::get_if<Insert>(&statement.what)) {
    stopped = insert(statement, *i, evaluator, drawn);
  } else if (const auto* u = std::get_if<Update>(&statement.what)) {
    stopped = update(statement, *u, evaluator);
  } else if (const auto* d = std::get_if<Delete>(&statement.what)) {
    stopped = remove(statement, *d, evaluator);
  }
  if (!stopped) stopped = check_foreign(evaluator);
  if (stopped) {
    if (auto* e = std::get_if<SqlError>(&*stopped)) {
      if (e->at.line == 0) e->at = statement.at;
      return std::move(*e);
    }
    return Interrupted{};
  }
  for (const Change& c : changes_) {
    universe_.claims().add(c.at.first, c.before ? &*c.before : nullptr,
                           c.after ? &*c.after : nullptr, effect_.claims);
  }
  // One write per key: the last row that the statement leaves there.
  std::map<Place, bool> is_written;
  for (const Change& c : changes_) {
    if (!is_written.try_emplace(c.at, true).second) continue;
    const std::optional<Row>& row = latest_.at(c.at);
    effect_.writes.push_back(
        {c.at.first, c.at.second,
         row ? universe_.version(*row) : Universe::kAbsent});
  }
  return std::move(effect_);
}

void StatementRun::change(TableId table, const Row& key,
                          std::optional<Row> before, std::optional<Row> after) {
  latest_[{table, key}] = after;
  changes_.push_back({{table, key}, std::move(before), std::move(after)});
}

StatementRun::Stopped StatementRun::current(TableId table,
                                            const Universe::Entry& entry,
                                            std::optional<Row>& row) {
  if (const auto own = latest_.find({table, entry.key}); own != latest_.end()) {
    row = own->second;
    return std::nullopt;
  }
  const auto version = reads_.read(entry);
  if (!version) return Interrupted{};
  row.reset();
  if (*version != Universe::kAbsent) row = universe_.row(*version);
  return std::nullopt;
}

StatementRun::Stopped StatementRun::give_back(const DbStatement& statement,
                                              const Row& row,
                                              Evaluator& evaluator) {
  ++effect_.result.count;
  if (statement.returning.empty()) return std::nullopt;
  auto values = evaluator.returning(statement.returning, row);
  Row out;
  Stopped stopped;
  if (take(values, out, stopped)) effect_.result.rows.push_back(std::move(out));
  return stopped;
}

// --- INSERT

StatementRun::Stopped StatementRun::insert(const DbStatement& statement,
                                           const Insert& insert,
                                           Evaluator& evaluator, Drawn& drawn) {
  Numbers numbers(universe_, instance_, drawn);
  auto made = evaluator.rows_to_insert(insert, numbers);
  std::vector<Row> rows;
  Stopped stopped;
  if (!take(made, rows, stopped)) return stopped;
  for (Row& row : rows) {
    stopped = insert_row(statement, insert, std::move(row), evaluator, drawn);
    if (stopped) return stopped;
  }
  return std::nullopt;
}

StatementRun::Stopped StatementRun::insert_row(const DbStatement& statement,
                                               const Insert& insert, Row row,
                                               Evaluator& evaluator,
                                               Drawn& drawn) {
  const TableId table = insert.target.table;
  const Table& schema = schema_.at(table);
  if (auto bad = evaluator.check_row(schema, row)) return std::move(*bad);
  Stopped stopped;
  if (insert.on_conflict) {
    const OnConflict& conflict = *insert.on_conflict;
    for (std::uint32_t u = 0; u < schema.unique.size(); ++u) {
      if (conflict.constraint && *conflict.constraint != u) continue;
      const auto& columns = schema.unique[u].columns;
      std::optional<Row> there;
      stopped = find_equal(table, columns, pick(row, columns), nullptr, there);
      if (stopped) return stopped;
      if (!there) continue;
      if (!conflict.is_update) return std::nullopt;
      if (latest_.contains({table, *there})) {
        return error("21000",
                     "ON CONFLICT DO UPDATE command cannot affect row a second "
                     "time",
                     statement.at);
      }
      const auto at = universe_.find(table, *there);
      assert(at && "a row that is there has a key");
      std::optional<Row> old;
      stopped = current(table, universe_.keys(table)[*at], old);
      if (stopped) return stopped;
      auto changed = evaluator.on_conflict(insert, *old, row);
      std::optional<Row> after;
      if (!take(changed, after, stopped)) return stopped;
      if (!after) return std::nullopt;
      stopped = update_row(table, *there, *old, *after, evaluator);
      if (stopped) return stopped;
      return give_back(statement, *after, evaluator);
    }
  }
  const Row key =
      schema.has_primary_key
          ? universe_.key_of(table, row)
          : universe_.hidden_key(table, instance_, drawn.hidden[table.index]++);
  stopped = check_unique(table, key, row, nullptr);
  if (stopped) return stopped;
  change(table, key, std::nullopt, row);
  return give_back(statement, row, evaluator);
}

// --- UPDATE and DELETE

StatementRun::Stopped StatementRun::update(const DbStatement& statement,
                                           const Update& update,
                                           Evaluator& evaluator) {
  auto targets = evaluator.targets(update);
  std::vector<FoundRow> found;
  Stopped stopped;
  if (!take(targets, found, stopped)) return stopped;
  const TableId table = update.target.table;
  for (const FoundRow& target : found) {
    auto made = evaluator.updated(update, target.row);
    Row after;
    if (!take(made, after, stopped)) return stopped;
    const Row key = universe_.keys(table)[target.handle.row].key;
    stopped = update_row(table, key, target.row, after, evaluator);
    if (!stopped) stopped = give_back(statement, after, evaluator);
    if (stopped) return stopped;
  }
  return std::nullopt;
}

StatementRun::Stopped StatementRun::update_row(TableId table, const Row& key,
                                               const Row& before,
                                               const Row& after,
                                               Evaluator& evaluator) {
  const Table& schema = schema_.at(table);
  if (auto bad = evaluator.check_row(schema, after)) return std::move(*bad);
  const Row to = schema.has_primary_key ? universe_.key_of(table, after) : key;
  if (Stopped s = check_unique(table, to, after, &before)) return s;
  if (to != key) {
    change(table, key, before, std::nullopt);
    change(table, to, std::nullopt, after);
  } else {
    change(table, key, before, after);
  }
  return std::nullopt;
}

StatementRun::Stopped StatementRun::remove(const DbStatement& statement,
                                           const Delete& remove,
                                           Evaluator& evaluator) {
  auto targets = evaluator.targets(remove);
  std::vector<FoundRow> found;
  Stopped stopped;
  if (!take(targets, found, stopped)) return stopped;
  const TableId table = remove.target.table;
  for (const FoundRow& target : found) {
    change(table, universe_.keys(table)[target.handle.row].key, target.row,
           std::nullopt);
    stopped = give_back(statement, target.row, evaluator);
    if (stopped) return stopped;
  }
  return std::nullopt;
}

// --- constraints

StatementRun::Stopped StatementRun::find_equal(
    TableId table, const std::vector<std::uint32_t>& columns, const Row& values,
    const Row* self, std::optional<Row>& found) {
  found.reset();
  if (has_null(values)) return std::nullopt;
  const auto keys = universe_.keys(table);
  const auto whole = universe_.whole_key(table, columns, values);
  std::size_t begin = 0;
  std::size_t end = keys.size();
  if (whole) {
    const auto at = universe_.find(table, *whole);
    begin = at.value_or(0);
    end = at ? begin + 1 : 0;
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Universe::Entry& entry = keys[i];
    if (self != nullptr && entry.key == *self) continue;
    if (!whole && differs(table, columns, values, entry.key)) continue;
    std::optional<Row> row;
    if (Stopped s = current(table, entry, row)) return s;
    if (row && pick(*row, columns) == values) {
      found = entry.key;
      return std::nullopt;
    }
  }
  // Rows of this statement whose keys the universe does not have yet.
  for (const auto& [place, row] : latest_) {
    if (place.first != table || !row) continue;
    if (self != nullptr && place.second == *self) continue;
    if (pick(*row, columns) == values) found = place.second;
  }
  return std::nullopt;
}

/// Whether a row with this key cannot have these values.
bool StatementRun::differs(TableId table,
                           const std::vector<std::uint32_t>& columns,
                           const Row& values, const Row& key) const {
  const Table& schema = schema_.at(table);
  if (!schema.has_primary_key) return false;
  const auto& primary = schema.unique.front().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = 0; k < primary.size(); ++k) {
      if (primary[k] == columns[i] && key[k] != values[i]) return true;
    }
  }
  return false;
}

StatementRun::Stopped StatementRun::check_unique(TableId table, const Row& key,
                                                 const Row& row,
                                                 const Row* before) {
  const Table& schema = schema_.at(table);
  for (std::size_t u = 0; u < schema.unique.size(); ++u) {
    const UniqueKey& unique = schema.unique[u];
    const Row values = pick(row, unique.columns);
    if (before != nullptr && pick(*before, unique.columns) == values) continue;
    // A row at the key itself is a duplicate of the primary key, but for other
    // keys it is the row that changes.
    const bool is_primary = schema.has_primary_key && u == 0;
    std::optional<Row> found;
    if (Stopped s = find_equal(table, unique.columns, values,
                               is_primary ? nullptr : &key, found)) {
      return s;
    }
    if (!found) continue;
    return error("23505",
                 "duplicate key value violates unique constraint \"" +
                     unique.name + "\"",
                 {});
  }
  return std::nullopt;
}

StatementRun::Stopped StatementRun::check_foreign(Evaluator& evaluator) {
  // Cascades append to changes_.
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const Change now = changes_[i];
    if (now.before) {
      if (Stopped s = check_children(now, evaluator)) return s;
    }
  }
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const Change now = changes_[i];
    if (latest_.at(now.at) != now.after || !now.after) continue;
    if (Stopped s = check_parents(now)) return s;
  }
  return std::nullopt;
}

StatementRun::Stopped StatementRun::check_parents(const Change& change) {
  const Table& schema = schema_.at(change.at.first);
  for (const ForeignKey& foreign : schema.foreign) {
    const Row values = pick(*change.after, foreign.columns);
    if (has_null(values)) continue;
    if (change.before && pick(*change.before, foreign.columns) == values) {
      continue;
    }
    std::optional<Row> parent;
    if (Stopped s = find_equal(foreign.parent, foreign.parent_columns, values,
                               nullptr, parent)) {
      return s;
    }
    if (parent) continue;
    return error("23503",
                 "insert or update on table \"" + schema.name +
                     "\" violates foreign key constraint \"" + foreign.name +
                     "\"",
                 {});
  }
  return std::nullopt;
}

StatementRun::Stopped StatementRun::check_children(const Change& gone,
                                                   Evaluator& evaluator) {
  const TableId table = gone.at.first;
  for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
    const TableId child(t);
    for (const ForeignKey& foreign : schema_.at(child).foreign) {
      if (foreign.parent != table) continue;
      const Row values = pick(*gone.before, foreign.parent_columns);
      if (has_null(values)) continue;
      if (gone.after && pick(*gone.after, foreign.parent_columns) == values) {
        continue;
      }
      std::optional<Row> other;
      if (Stopped s = find_equal(table, foreign.parent_columns, values,
                                 &gone.at.second, other)) {
        return s;
      }
      if (other) continue;
      for (;;) {
        std::optional<Row> key;
        if (Stopped s =
                find_equal(child, foreign.columns, values, nullptr, key)) {
          return s;
        }
        if (!key) break;
        if (foreign.on_delete == OnDelete::NoAction || gone.after) {
          return error("23503",
                       "update or delete on table \"" + schema_.at(table).name +
                           "\" violates foreign key constraint \"" +
                           foreign.name + "\" on table \"" +
                           schema_.at(child).name + "\"",
                       {});
        }
        std::optional<Row> row;
        if (const auto at = universe_.find(child, *key)) {
          if (Stopped s = current(child, universe_.keys(child)[*at], row)) {
            return s;
          }
        } else {
          row = latest_.at({child, *key});
        }
        if (foreign.on_delete == OnDelete::Cascade) {
          change(child, *key, row, std::nullopt);
          continue;
        }
        Row emptied = *row;
        for (const std::uint32_t c : foreign.columns) emptied[c] = Value();
        if (Stopped s = update_row(child, *key, *row, emptied, evaluator)) {
          return s;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace txscope::sql
