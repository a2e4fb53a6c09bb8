#include "audit/execute.h"

#include <algorithm>
#include <utility>

#include "exec/sql/halt.h"
#include "exec/sql/memory_tables.h"

namespace txscope::audit {
namespace {

using sql::Row;
using sql::Value;

bool has_null(const Row& row, const std::vector<std::uint32_t>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [&row](std::uint32_t c) { return row[c].is_null(); });
}

/// The ids that RETURNING shows, then made-up ones.
class Ids final : public sql::Sequences {
 public:
  Ids(const sql::Schema& schema, const sql::DbStatement& statement,
      const sql::LogStatement& observed, GeneratedIds& others)
      : others_(others) {
    const auto* insert = std::get_if<sql::Insert>(&statement.what);
    if (insert == nullptr || !observed.rows) return;
    const sql::Table& table = schema.at(insert->target.table);
    for (std::size_t i = 0; i < statement.returning.size(); ++i) {
      const sql::Expr& e = statement.returning[i].expr;
      if (e.op != sql::Op::Column || !table.columns[e.index].sequence) continue;
      for (const Row& row : *observed.rows)
        if (i < row.size() && row[i].kind() == sql::Kind::Integer)
          shown_.push_back(row[i].integer());
      return;
    }
  }

  std::int64_t next(std::uint32_t sequence) override {
    if (at_ < shown_.size()) return shown_[at_++];
    return others_.next(sequence);
  }

 private:
  GeneratedIds& others_;
  std::vector<std::int64_t> shown_;
  std::size_t at_ = 0;
};

class StatementRun {
 public:
  StatementRun(const Prepared& prepared, const sql::LogStatement& observed,
               const Tables& tables, OwnWrites& own, const Sight& sight,
               GeneratedIds& ids, std::span<const Value> slots,
               const Budget& budget)
      : prepared_(prepared),
        tables_(tables),
        schema_(tables.schema()),
        own_(own),
        sight_(sight),
        view_(tables, own, sight.at, sight.chooser, sight.visited),
        latest_(tables, own, sight.constraints, nullptr, sight.visited),
        ids_(schema_, *prepared.statement, observed, ids),
        evaluator_(*prepared.routines, view_, slots, budget) {}

  std::variant<Answer, sql::Interrupted> run() {
    const std::size_t mark = own_.mark();
    std::visit([this](const auto& what) { execute(what); },
               prepared_.statement->what);
    if (!halt_.is_set()) check_foreign_keys();
    if (halt_.is_set()) own_.roll_back(mark);
    if (halt_.is_error()) {
      answer_ = Answer();
      answer_.error = halt_.error();
      return std::move(answer_);
    }
    if (halt_.is_set()) return sql::Interrupted{};
    return std::move(answer_);
  }

 private:
  struct Event {
    TableId table;
    std::uint64_t handle = 0;
    RowPtr old;
    RowPtr now;
  };

  template <class T>
  std::optional<T> take(sql::Evaluated<T> evaluated) {
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

  void execute(const sql::Select& query) {
    if (sight_.rechecks && prepared_.locks() && !query->is_grouped &&
        !query->is_distinct)
      return select_for_update(*query);
    if (auto rows = take(evaluator_.select(*prepared_.full)))
      answer_.rows = std::move(*rows);
    if (auto window = take(evaluator_.window(*query))) answer_.window = *window;
    answer_.count = answer_.rows.size();
  }

  /// In the order of what it found, each row in its latest version.
  void select_for_update(const sql::Query& query) {
    const auto window = take(evaluator_.window(query));
    auto found = take(evaluator_.candidates(query));
    if (!found || !window) return;
    std::uint64_t skip = window->offset;
    for (sql::JoinedRow& joined : *found) {
      if (window->limit && answer_.rows.size() >= *window->limit) break;
      if (!take_latest(query, joined)) continue;
      auto row = take(evaluator_.recheck(query, joined));
      if (!row) return;
      if (!*row) continue;
      if (skip > 0) {
        --skip;
        continue;
      }
      // Not sorted again: each row is a run of its own.
      for (std::size_t i = 0; i < query.order_by.size(); ++i)
        (*row)->push_back(
            Value::integer(static_cast<std::int64_t>(answer_.rows.size())));
      answer_.rows.push_back(std::move(**row));
    }
    answer_.count = answer_.rows.size();
  }

  bool take_latest(const sql::Query& query, sql::JoinedRow& joined) {
    for (std::size_t i = 0; i < joined.handles.size(); ++i) {
      const sql::RowHandle handle = joined.handles[i];
      const bool is_locked =
          i < query.is_locked.size() ? query.is_locked[i] : true;
      if (handle.table == kNone<TableId> || !is_locked) continue;
      const RowPtr row = latest_version(handle);
      if (row == nullptr) return false;
      joined.rows[i] = *row;
    }
    return true;
  }

  /// As the statement finds it when it has waited for others to commit.
  RowPtr latest_version(sql::RowHandle handle) {
    if (handle.row < kOwnRow &&
        own_.find(handle.table, handle.row) == nullptr) {
      for (const Tables::Version& version :
           tables_.versions(handle.table, static_cast<RowNumber>(handle.row)))
        if (version.at <= sight_.constraints)
          answer_.waited_for = std::max(answer_.waited_for, version.at);
    }
    return latest_.row(handle.table, handle.row);
  }

  /// Rows that an UPDATE or DELETE found, as it is to write them.
  template <class Change>
  std::optional<std::vector<sql::FoundRow>> targets(const Change& change) {
    auto found = take(evaluator_.targets(change));
    if (!found || !sight_.rechecks) return found;
    std::vector<sql::FoundRow> kept;
    for (sql::FoundRow& target : *found) {
      const auto number = static_cast<RowNumber>(target.handle.row);
      const bool is_own =
          own_.find(target.handle.table, target.handle.row) != nullptr;
      if (!is_own &&
          tables_.is_row_written(target.handle.table, number, sight_.at,
                                 sight_.constraints + 1)) {
        const RowPtr row = latest_version(target.handle);
        if (row == nullptr) continue;
        const auto is_match =
            take(evaluator_.matches(change.where, std::span(row.get(), 1)));
        if (!is_match) return std::nullopt;
        if (!*is_match) continue;
        target.row = *row;
      }
      kept.push_back(std::move(target));
    }
    return kept;
  }

  void execute(const sql::Insert& insert) {
    const auto done = evaluator_.each_row_to_insert(insert, ids_, [&](Row row) {
      insert_row(insert, std::move(row));
      return !halt_.is_set();
    });
    (void)take(done);
  }

  void execute(const sql::Update& update) {
    const auto found = targets(update);
    if (!found) return;
    for (const sql::FoundRow& target : *found) {
      auto row = take(evaluator_.updated(update, target.row, &ids_));
      if (!row) return;
      replace(target.handle, std::make_shared<const Row>(target.row),
              std::move(*row));
      if (halt_.is_set()) return;
    }
  }

  void execute(const sql::Delete& remove) {
    const auto found = targets(remove);
    if (!found) return;
    for (const sql::FoundRow& target : *found) {
      erase(target.handle, std::make_shared<const Row>(target.row));
      count(target.row);
      if (halt_.is_set()) return;
    }
  }

  void count(const Row& row) {
    ++answer_.count;
    if (prepared_.statement->returning.empty()) return;
    if (auto returned =
            take(evaluator_.returning(prepared_.statement->returning, row)))
      answer_.rows.push_back(std::move(*returned));
  }

  bool check(TableId table, const Row& row) {
    if (auto error = evaluator_.check_row(schema_.at(table), row)) {
      halt_.set(std::move(*error));
      return false;
    }
    return true;
  }

  std::optional<std::uint64_t> duplicate(TableId table,
                                         const sql::UniqueKey& key,
                                         const Row& row, std::uint64_t except,
                                         RowPtr* there = nullptr) const {
    Row values;
    for (const std::uint32_t column : key.columns)
      values.push_back(row[column]);
    return latest_.find(table, key.columns, values, except, there);
  }

  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};

  void insert_row(const sql::Insert& insert, Row row) {
    const TableId table = insert.target.table;
    if (!check(table, row)) return;
    if (insert.on_conflict) {
      const sql::OnConflict& conflict = *insert.on_conflict;
      const sql::Table& t = schema_.at(table);
      for (std::size_t k = 0; k < t.unique.size(); ++k) {
        if (conflict.constraint && *conflict.constraint != k) continue;
        RowPtr there;
        const auto handle = duplicate(table, t.unique[k], row, kNobody, &there);
        if (!handle) continue;
        if (conflict.is_update) update_instead(insert, *handle, there, row);
        return;
      }
    }
    const auto shared = std::make_shared<const Row>(std::move(row));
    if (put_new(table, shared)) count(*shared);
  }

  void update_instead(const sql::Insert& insert, std::uint64_t handle,
                      const RowPtr& there, const Row& excluded) {
    auto row = take(evaluator_.on_conflict(insert, *there, excluded, &ids_));
    if (row && *row)
      replace({insert.target.table, handle}, there, std::move(**row));
  }

  bool is_unique(TableId table, const Row& row, std::uint64_t except) {
    for (const sql::UniqueKey& key : schema_.at(table).unique) {
      if (!duplicate(table, key, row, except)) continue;
      fail("23505", "duplicate key value violates unique constraint \"" +
                        key.name + "\"");
      return false;
    }
    return true;
  }

  bool put_new(TableId table, const RowPtr& row) {
    if (!is_unique(table, *row, kNobody)) return false;
    own_.insert(table, row);
    events_.push_back({table, own_.all().back().handle, nullptr, row});
    return true;
  }

  void replace(sql::RowHandle handle, const RowPtr& old, Row row) {
    if (!check(handle.table, row)) return;
    const auto shared = std::make_shared<const Row>(std::move(row));
    const sql::Table& t = schema_.at(handle.table);
    if (!is_unique(handle.table, *shared, handle.row)) return;
    const bool keeps_key =
        !t.has_primary_key ||
        sql::compare_columns(*old, t.unique[0].columns, *shared,
                             t.unique[0].columns) == 0;
    if (keeps_key) {
      own_.set(handle.table, handle.row, old, shared);
    } else {
      own_.set(handle.table, handle.row, old, nullptr);
      own_.insert(handle.table, shared);
    }
    events_.push_back({handle.table,
                       keeps_key ? handle.row : own_.all().back().handle, old,
                       shared});
    count(*shared);
  }

  void erase(sql::RowHandle handle, const RowPtr& old) {
    own_.set(handle.table, handle.row, old, nullptr);
    events_.push_back({handle.table, handle.row, old, nullptr});
  }

  // Foreign keys are looked at when the statement has done everything else.
  void check_foreign_keys() {
    for (std::size_t i = 0; i < events_.size() && !halt_.is_set(); ++i) {
      const Event event = events_[i];
      if (event.now != nullptr) check_parents(event);
      if (event.old != nullptr) check_children(event);
    }
  }

  bool has_row(TableId table, const std::vector<std::uint32_t>& columns,
               const Row& like, const std::vector<std::uint32_t>& in_like) {
    Row values;
    for (const std::uint32_t column : in_like) values.push_back(like[column]);
    return latest_.find(table, columns, values, kNobody).has_value();
  }

  void check_parents(const Event& event) {
    if (latest_.row(event.table, event.handle) != event.now) return;
    const sql::Table& table = schema_.at(event.table);
    for (const sql::ForeignKey& key : table.foreign) {
      if (has_null(*event.now, key.columns)) continue;
      if (event.old != nullptr &&
          sql::compare_columns(*event.old, key.columns, *event.now,
                               key.columns) == 0)
        continue;
      if (has_row(key.parent, key.parent_columns, *event.now, key.columns))
        continue;
      return fail("23503", "insert or update on table \"" + table.name +
                               "\" violates foreign key constraint \"" +
                               key.name + "\"");
    }
  }

  void check_children(const Event& event) {
    for (std::size_t t = 0; t < schema_.tables.size(); ++t)
      for (const sql::ForeignKey& key : schema_.tables[t].foreign)
        if (key.parent == event.table && !halt_.is_set())
          check_child(event, TableId(t), key);
  }

  void check_child(const Event& event, TableId child,
                   const sql::ForeignKey& key) {
    const Row& old = *event.old;
    if (has_null(old, key.parent_columns)) return;
    if (event.now != nullptr &&
        sql::compare_columns(old, key.parent_columns, *event.now,
                             key.parent_columns) == 0)
      return;
    Row values;
    for (const std::uint32_t column : key.parent_columns)
      values.push_back(old[column]);
    const bool is_action =
        event.now == nullptr && key.on_delete != sql::OnDelete::NoAction;
    while (!halt_.is_set()) {
      RowPtr orphan;
      const auto handle =
          latest_.find(child, key.columns, values, kNobody, &orphan);
      if (!handle) return;
      if (!is_action) {
        if (has_row(key.parent, key.parent_columns, old, key.parent_columns))
          return;
        return fail("23503", "update or delete on table \"" +
                                 schema_.at(event.table).name +
                                 "\" violates foreign key constraint \"" +
                                 key.name + "\" on table \"" +
                                 schema_.at(child).name + "\"");
      }
      if (key.on_delete == sql::OnDelete::Cascade) {
        erase({child, *handle}, orphan);
        continue;
      }
      Row row = *orphan;
      for (const std::uint32_t column : key.columns) row[column] = Value();
      if (!check(child, row)) return;
      const auto shared = std::make_shared<const Row>(std::move(row));
      own_.set(child, *handle, orphan, shared);
      events_.push_back({child, *handle, orphan, shared});
    }
  }

  const Prepared& prepared_;
  const Tables& tables_;
  const sql::Schema& schema_;
  OwnWrites& own_;
  Sight sight_;
  View view_;
  View latest_;
  Ids ids_;
  sql::Evaluator evaluator_;
  sql::Halt halt_;
  Answer answer_;
  std::vector<Event> events_;
};

}  // namespace

std::variant<Answer, sql::Interrupted> execute(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget) {
  std::vector<Value> slots(1);
  slots.insert(slots.end(), observed.parameters.begin(),
               observed.parameters.end());
  slots.resize(std::max(slots.size(), prepared.parameters + 1));
  return StatementRun(prepared, observed, tables, own, sight, ids, slots,
                      budget)
      .run();
}

}  // namespace txscope::audit
