// What a write sets off: triggers, inside the statement that fires them.

#include <algorithm>
#include <array>

#include "exec/sql/writer/writer.h"
#include "model/product/error_class.h"

namespace txscope::sql {
namespace {

/// Triggers that fire triggers, deeper than this: PostgreSQL goes on for some
/// thousands.
constexpr unsigned kDeepestTrigger = 20;

constexpr std::array<std::string_view, 3> kOperations = {"INSERT", "UPDATE",
                                                         "DELETE"};

}  // namespace

bool Writer::fires(const Trigger& trigger, Change change) const {
  if (!trigger.is_on(db_.setup_position)) return false;
  switch (change) {
    case Change::Insert: return trigger.on_insert;
    case Change::Delete: return trigger.on_delete;
    case Change::Update: break;
  }
  if (!trigger.on_update || trigger.columns.empty()) return trigger.on_update;
  return std::any_of(set_.begin(), set_.end(), [&](const SetColumn& set) {
    return std::find(trigger.columns.begin(), trigger.columns.end(),
                     set.column) != trigger.columns.end();
  });
}

bool Writer::has_triggers(TableId table, Change change, Firing when) const {
  const auto& triggers = schema_.at(table).triggers;
  return std::any_of(triggers.begin(), triggers.end(), [&](const Trigger& t) {
    return t.is_before == when.is_before && t.is_row == when.is_row &&
           fires(t, change);
  });
}

bool Writer::fire(TableId table, Change change, Firing when, const Row* old,
                  Row* row, bool& is_skipped) {
  for (const Trigger& trigger : schema_.at(table).triggers) {
    if (trigger.is_before != when.is_before || trigger.is_row != when.is_row ||
        !fires(trigger, change) || is_deferred(trigger)) {
      continue;
    }
    if (!fire(table, trigger, change, old, row, is_skipped)) return false;
    if (is_skipped) return true;
  }
  return true;
}

bool Writer::follow(Event event) {
  if (!rules_.checks_foreign_keys_by_row) {
    note(std::move(event));
    return true;
  }
  if (!rules_.fires_by_row || is_action_) return true;
  bool is_skipped = false;
  return fire(event.at.table, change_of(event.old, event.now), kAfterRow,
              event.old ? &*event.old : nullptr,
              event.now ? &*event.now : nullptr, is_skipped);
}

// Once for all parts of a statement: behind the last that changes the table so.
bool Writer::end_rows(TableId table, Change change) {
  if (!has_triggers(table, change, kAfterStatement)) return true;
  std::erase_if(events_, [&](const Event& event) {
    return event.all == change && event.at.table == table;
  });
  note({{table, 0}, {}, {}, change, {}});
  return true;
}

bool Writer::fire_statement(TableId table, Change change, bool is_before) {
  bool is_skipped = false;
  if (is_before) {
    if (std::find(fired_.begin(), fired_.end(), std::pair(table, change)) !=
        fired_.end()) {
      return true;
    }
    fired_.emplace_back(table, change);
  }
  return fire(table, change, {.is_before = is_before, .is_row = false}, nullptr,
              nullptr, is_skipped);
}

bool Writer::fire(TableId table, const Trigger& trigger, Change change,
                  const Row* old, Row* row, bool& is_skipped) {
  if (!rules_.fires_triggers)
    return db_.end().undecided("triggers are not followed at this level");
  if (db_.nesting() > kDeepestTrigger)
    return db_.end().undecided("triggers that fire one another too deep");
  const TriggerSlots at;
  const std::size_t columns = schema_.at(table).columns.size();
  std::vector<Value> slots(at.old_row(columns) + columns - 1);
  slots[at.operation - 1] =
      Value::text(kOperations[static_cast<std::size_t>(change)]);
  for (std::size_t c = 0; c < columns; ++c) {
    if (row != nullptr) slots[at.new_row - 1 + c] = (*row)[c];
    if (old != nullptr) slots[at.old_row(columns) - 1 + c] = (*old)[c];
  }
  Process process(routines_, RoutineId(trigger.routine), slots, db_.settings);
  if (trigger.has_transition) db_.firing = written_rows(table, change);
  const bool goes_on = run_trigger(process);
  db_.firing.reset();
  if (!goes_on) return false;
  if (!trigger.is_before || !trigger.is_row) return true;
  const Value result = process.slots()[at.result];
  // NEW of a DELETE and OLD of an INSERT are NULL, too.
  const std::int64_t none = change == Change::Delete   ? 1
                            : change == Change::Insert ? 2
                                                       : 0;
  is_skipped =
      result.is_null() || result.integer() == 0 || result.integer() == none;
  if (is_skipped || row == nullptr) return true;
  const std::size_t from =
      result.integer() == 2 ? at.old_row(columns) : at.new_row;
  for (std::size_t c = 0; c < columns; ++c)
    (*row)[c] = process.slots()[from + c];
  return true;
}

std::shared_ptr<const Database::Transition> Writer::written_rows(
    TableId table, Change change) const {
  auto rows = std::make_shared<Database::Transition>();
  for (const Event& event : events_) {
    if (event.all || event.at.table != table ||
        change_of(event.old, event.now) != change) {
      continue;
    }
    if (event.now) (*rows)[0].push_back(*event.now);
    if (event.old) (*rows)[1].push_back(*event.old);
  }
  return rows;
}

bool Writer::run_trigger(Process& process) {
  const std::size_t base = db_.depth();
  for (;;) {
    Request request = process.run(budget_);
    switch (request.kind) {
      case Request::Kind::Returned: {
        const auto deferred = process.deferred();
        auto& all = db_.end().result.deferred;
        all.insert(all.end(), deferred.begin(), deferred.end());
        return true;
      }
      case Request::Kind::Failed: return raise(process.error());
      case Request::Kind::Cut:
        return db_.end().undecided("a loop of a trigger reaches its bound");
      case Request::Kind::Spent:
        return db_.end().undecided("the budget is spent");
      case Request::Kind::Savepoint:
      case Request::Kind::Release:
      case Request::Kind::RollBackTo:
        request.depth += static_cast<std::uint32_t>(base);
        if (!db_.nest(request)) return false;
        process.proceed();
        break;
      case Request::Kind::Commit:
      case Request::Kind::RollBack: {
        SqlError error;
        error.sqlstate = "2D000";
        error.message = "invalid transaction termination";
        return raise(error);
      }
      case Request::Kind::Statement: {
        StatementResult result;
        std::optional<SqlError> error;
        if (!db_.run_nested(routines_, request, process.slots(), budget_,
                            result, error)) {
          return false;
        }
        has_nested_ = true;
        if (error) {
          const ErrorRow* known = find_error(error->sqlstate);
          if (known != nullptr && known->takes_all) return raise(*error);
          // Handlers know conditions, not the numbers of a product.
          error->sqlstate = condition_of(rules_, error->sqlstate);
          process.fail(*error);
        } else {
          process.answer(result);
        }
        break;
      }
    }
  }
}

// A row that a trigger's own statement has changed cannot be changed by the
// statement that fired it.
bool Writer::is_untouched(RowHandle at, const Row& old, Change change) {
  if (!has_nested_) return true;
  const std::optional<Row> now = db_.latest(at);
  if (now == old) return true;
  SqlError error;
  error.sqlstate = "27000";
  error.message = std::string("tuple to be ") +
                  (change == Change::Delete ? "deleted" : "updated") +
                  " was already modified by an operation triggered by the "
                  "current command";
  return raise(error);
}

// With BEFORE triggers the row is locked first: as strongly as the columns that
// are set ask for.
bool Writer::update_with_triggers(const Update& update,
                                  const FoundRow& target) {
  const TableId table = update.target.table;
  Row old = target.row;
  Database::Locked locked;
  if (!db_.lock(target.handle, strength_of_set(schema_.at(table), update.set),
                Database::IfLocked::Wait, locked)) {
    return false;
  }
  if (locked.is_gone) return true;
  if (locked.is_changed) {
    old = std::move(locked.row);
    bool is_match = false;
    if (!take_read(evaluator_.matches(update.where, {&old, 1}), is_match))
      return false;
    if (!is_match) return true;
  }
  Row row;
  return is_untouched(target.handle, old, Change::Update) &&
         take_read(evaluator_.updated(update, old, &db_), row) &&
         update_locked(target.handle, old, std::move(row));
}

bool Writer::update_locked(RowHandle at, const Row& old, Row row) {
  bool is_skipped = false;
  if (!fire(at.table, Change::Update, kBeforeRow, &old, &row, is_skipped))
    return false;
  if (is_skipped) return true;
  if (old == row) ++db_.end().result.unchanged;
  Database::Locked again;
  return is_untouched(at, old, Change::Update) && check_row(at.table, row) &&
         db_.lock(at, strength_of_update(schema_.at(at.table), old, row),
                  Database::IfLocked::Wait, again) &&
         replace(at, old, row) && give_back(row);
}

bool Writer::remove_locked(RowHandle at, const Row& row) {
  bool is_skipped = false;
  if (!is_untouched(at, row, Change::Delete) ||
      !fire(at.table, Change::Delete, kBeforeRow, &row, nullptr, is_skipped)) {
    return false;
  }
  return is_skipped || (is_untouched(at, row, Change::Delete) &&
                        erase(at, row) && give_back(row));
}

}  // namespace txscope::sql
