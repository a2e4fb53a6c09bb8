#include "exec/sql/memory_writer.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <string>

#include "exec/sql/halt.h"
#include "exec/sql/memory_tables.h"

namespace txscope::sql {

/// Runs one statement on a database; what it wrote is kept or thrown away as a
/// whole.
class MemoryWriter::Run final : public Sequences {
 public:
  Run(MemoryDatabase& database, std::span<const Value> slots,
      const Budget& budget)
      : db_(database),
        schema_(database.routines_->application().schema),
        before_(database.tables_),
        store_(schema_, before_),
        evaluator_(*database.routines_, store_, slots, budget) {}

  Evaluated<StatementResult> run(const DbStatement& statement,
                                 std::uint64_t max_rows) {
    returning_ = statement.returning;
    std::visit([&](const auto& what) { execute(what, max_rows); },
               statement.what);
    if (!halt_.is_set()) check_foreign_keys();
    halt_.place(statement.at);
    if (halt_.is_set()) db_.tables_ = before_;
    return halt_.result(std::move(result_));
  }

  std::int64_t next(std::uint32_t sequence) override {
    std::int64_t& value = db_.sequences_[sequence];
    const std::int64_t taken = value;
    value += schema_.sequences[sequence].increment;
    return taken;
  }

 private:
  /// A row that appeared, changed or vanished, for the foreign keys.
  struct Event {
    TableId table;
    std::uint64_t number = 0;
    std::shared_ptr<const Row> old;
    std::shared_ptr<const Row> now;
  };

  /// The value; or remembers what ended its evaluation.
  template <class T>
  std::optional<T> take(Evaluated<T> evaluated) {
    if (auto* value = std::get_if<0>(&evaluated)) return std::move(*value);
    if (auto* error = std::get_if<1>(&evaluated))
      halt_.set(std::move(*error));
    else
      halt_.interrupt();
    return std::nullopt;
  }
  void fail(const char* sqlstate, std::string message) {
    (void)halt_.raise(sqlstate, std::move(message));
  }

  TableRows& writable(TableId table) {
    auto& rows = db_.tables_[table.index];
    if (rows.use_count() != 1) rows = std::make_shared<TableRows>(*rows);
    // Only this writer holds it, and it was made by make_shared<TableRows>.
    return const_cast<TableRows&>(*rows);
  }
  const TableRows& rows_of(TableId table) const {
    return *db_.tables_[table.index];
  }
  const TableRows::Entry* find(TableId table, std::uint64_t number) const {
    for (const auto& entry : rows_of(table).entries)
      if (entry.number == number) return &entry;
    return nullptr;
  }

  void execute(const Select& query, std::uint64_t max_rows) {
    if (auto rows = take(evaluator_.select(*query, max_rows))) {
      result_.rows = std::move(*rows);
      result_.count = result_.rows.size();
    }
  }

  void execute(const Insert& insert, std::uint64_t) {
    const auto done =
        evaluator_.each_row_to_insert(insert, *this, [&](Row row) {
          insert_row(insert, std::move(row));
          return !halt_.is_set();
        });
    (void)take(done);
  }

  void execute(const Update& update, std::uint64_t) {
    const auto targets = take(evaluator_.targets(update));
    if (!targets) return;
    for (const FoundRow& target : *targets) {
      auto row = take(evaluator_.updated(update, target.row, this));
      if (!row) return;
      replace(update.target.table, target.handle.row, std::move(*row));
      if (halt_.is_set()) return;
    }
  }

  void execute(const Delete& remove, std::uint64_t) {
    const auto targets = take(evaluator_.targets(remove));
    if (!targets) return;
    for (const FoundRow& target : *targets) {
      erase(remove.target.table, target.handle.row);
      count(target.row);
      if (halt_.is_set()) return;
    }
  }

  void count(const Row& row) {
    ++result_.count;
    if (returning_.empty()) return;
    if (auto returned = take(evaluator_.returning(returning_, row)))
      result_.rows.push_back(std::move(*returned));
  }

  bool check(TableId table, const Row& row) {
    if (auto error = evaluator_.check_row(schema_.at(table), row)) {
      halt_.set(std::move(*error));
      return false;
    }
    return true;
  }

  void insert_row(const Insert& insert, Row row) {
    const TableId table = insert.target.table;
    if (!check(table, row)) return;
    if (insert.on_conflict) {
      const OnConflict& conflict = *insert.on_conflict;
      const Table& t = schema_.at(table);
      for (std::size_t k = 0; k < t.unique.size(); ++k) {
        if (conflict.constraint && *conflict.constraint != k) continue;
        const auto* there = duplicate(table, t.unique[k], row, 0);
        if (there == nullptr) continue;
        if (conflict.is_update) update_instead(insert, *there, row);
        return;
      }
    }
    const auto shared = std::make_shared<const Row>(std::move(row));
    if (put(table, 0, shared, nullptr)) count(*shared);
  }

  void update_instead(const Insert& insert, const TableRows::Entry& there,
                      const Row& excluded) {
    const TableId table = insert.target.table;
    const std::uint64_t number = there.number;
    if (std::find(own_rows_.begin(), own_rows_.end(),
                  std::pair(table, number)) != own_rows_.end())
      return fail("21000",
                  "ON CONFLICT DO UPDATE command cannot affect row a second "
                  "time");
    const std::shared_ptr<const Row> old = there.row;
    auto row = take(evaluator_.on_conflict(insert, *old, excluded, this));
    if (row && *row) replace(table, number, std::move(**row));
  }

  /// A row of the table, not `except`, that has the same key.
  const TableRows::Entry* duplicate(TableId table, const UniqueKey& key,
                                    const Row& row, std::uint64_t except) {
    if (has_null(row, key.columns)) return nullptr;
    for (const auto& entry : by_key(table, key.columns, row, key.columns))
      if (entry.number != except &&
          compare_columns(*entry.row, key.columns, row, key.columns) == 0)
        return &entry;
    return nullptr;
  }

  /// Rows among which are all whose `columns` equal those of `like`: by the
  /// primary key just those, else all.
  std::span<const TableRows::Entry> by_key(TableId table,
                                           const Columns& columns,
                                           const Row& like,
                                           const Columns& in_like) const {
    const std::span<const TableRows::Entry> all = rows_of(table).entries;
    const Table& t = schema_.at(table);
    if (!t.has_primary_key || columns != t.unique[0].columns) return all;
    const auto order = [&](const auto& entry) {
      return compare_columns(*entry.row, columns, like, in_like);
    };
    const auto first = std::partition_point(
        all.begin(), all.end(), [&](const auto& e) { return order(e) < 0; });
    const auto last = std::partition_point(
        first, all.end(), [&](const auto& e) { return order(e) == 0; });
    return {first, last};
  }

  void replace(TableId table, std::uint64_t number, Row row) {
    if (!check(table, row)) return;
    const TableRows::Entry* there = find(table, number);
    assert(there != nullptr && "a row that a statement found is there");
    const std::shared_ptr<const Row> old = there->row;
    const auto shared = std::make_shared<const Row>(std::move(row));
    if (put(table, number, shared, old)) count(*shared);
  }

  /// Puts a row into its place: `number` 0 is a new one.
  bool put(TableId table, std::uint64_t number,
           const std::shared_ptr<const Row>& row,
           const std::shared_ptr<const Row>& old) {
    const Table& t = schema_.at(table);
    for (const UniqueKey& key : t.unique) {
      if (duplicate(table, key, *row, number) == nullptr) continue;
      fail("23505", "duplicate key value violates unique constraint \"" +
                        key.name + "\"");
      return false;
    }
    TableRows& rows = writable(table);
    if (number == 0)
      number = rows.next++;
    else
      std::erase_if(rows.entries,
                    [&](const auto& e) { return e.number == number; });
    const auto place = std::partition_point(
        rows.entries.begin(), rows.entries.end(), [&](const auto& e) {
          if (!t.has_primary_key) return e.number < number;
          const Columns& key = t.unique[0].columns;
          return compare_columns(*e.row, key, *row, key) < 0;
        });
    rows.entries.insert(place, {number, row});
    own_rows_.emplace_back(table, number);
    events_.push_back({table, number, old, row});
    return true;
  }

  void erase(TableId table, std::uint64_t number) {
    const TableRows::Entry* there = find(table, number);
    if (there == nullptr) return;
    events_.push_back({table, number, there->row, nullptr});
    std::erase_if(writable(table).entries,
                  [number](const auto& e) { return e.number == number; });
  }

  // Foreign keys are looked at when the statement has done everything else;
  // what they change is looked at likewise.
  void check_foreign_keys() {
    for (std::size_t i = 0; i < events_.size() && !halt_.is_set(); ++i) {
      const Event event = events_[i];  // what it does may add others
      if (event.now != nullptr) check_parents(event);
      if (event.old != nullptr) check_children(event);
    }
  }

  void check_parents(const Event& event) {
    const TableRows::Entry* there = find(event.table, event.number);
    if (there == nullptr || there->row != event.now) return;
    const Table& table = schema_.at(event.table);
    for (const ForeignKey& key : table.foreign) {
      if (has_null(*event.now, key.columns)) continue;
      if (event.old != nullptr && compare_columns(*event.old, key.columns,
                                                  *event.now, key.columns) == 0)
        continue;
      if (has_row(key.parent, key.parent_columns, *event.now, key.columns))
        continue;
      return fail("23503", "insert or update on table \"" + table.name +
                               "\" violates foreign key constraint \"" +
                               key.name + "\"");
    }
  }

  bool has_row(TableId table, const Columns& columns, const Row& like,
               const Columns& in_like) const {
    const auto rows = by_key(table, columns, like, in_like);
    return std::any_of(rows.begin(), rows.end(), [&](const auto& entry) {
      return compare_columns(*entry.row, columns, like, in_like) == 0;
    });
  }

  void check_children(const Event& event) {
    for (std::size_t t = 0; t < schema_.tables.size(); ++t)
      for (const ForeignKey& key : schema_.tables[t].foreign)
        if (key.parent == event.table && !halt_.is_set())
          check_child(event, TableId(t), key);
  }

  void check_child(const Event& event, TableId child, const ForeignKey& key) {
    const Row& old = *event.old;
    if (has_null(old, key.parent_columns)) return;
    if (event.now != nullptr &&
        compare_columns(old, key.parent_columns, *event.now,
                        key.parent_columns) == 0)
      return;
    std::vector<TableRows::Entry> orphans;
    for (const auto& entry : rows_of(child).entries)
      if (!has_null(*entry.row, key.columns) &&
          compare_columns(*entry.row, key.columns, old, key.parent_columns) ==
              0)
        orphans.push_back(entry);
    const bool is_action =
        event.now == nullptr && key.on_delete != OnDelete::NoAction;
    if (orphans.empty()) return;
    if (!is_action) {
      // Another row may have the key by now.
      if (has_row(key.parent, key.parent_columns, old, key.parent_columns))
        return;
      return fail("23503", "update or delete on table \"" +
                               schema_.at(event.table).name +
                               "\" violates foreign key constraint \"" +
                               key.name + "\" on table \"" +
                               schema_.at(child).name + "\"");
    }
    for (const TableRows::Entry& orphan : orphans) {
      if (halt_.is_set()) return;
      if (key.on_delete == OnDelete::Cascade)
        erase(child, orphan.number);
      else
        set_null(child, orphan, key);
    }
  }

  void set_null(TableId child, const TableRows::Entry& orphan,
                const ForeignKey& key) {
    Row row = *orphan.row;
    for (const std::uint32_t column : key.columns) row[column] = Value();
    if (!check(child, row)) return;
    put(child, orphan.number, std::make_shared<const Row>(std::move(row)),
        orphan.row);
  }

  MemoryDatabase& db_;
  const Schema& schema_;
  const std::vector<std::shared_ptr<const TableRows>> before_;
  TablesStore store_;
  Evaluator evaluator_;
  std::span<const Target> returning_;
  Halt halt_;
  StatementResult result_;
  std::vector<Event> events_;
  /// Rows that the statement has written.
  std::vector<std::pair<TableId, std::uint64_t>> own_rows_;
};

Evaluated<StatementResult> MemoryWriter::run(MemoryDatabase& database,
                                             const DbStatement& statement,
                                             std::span<const Value> slots,
                                             const Budget& budget,
                                             std::uint64_t max_rows) {
  return Run(database, slots, budget).run(statement, max_rows);
}

}  // namespace txscope::sql
