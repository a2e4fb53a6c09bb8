#include "symbolic/routine/triggers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/sql/walk.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

constexpr std::array<std::string_view, 3> kOperations = {"INSERT", "UPDATE",
                                                         "DELETE"};

bool has_statements(const sql::Routine& routine) {
  bool has_one = false;
  for_each_statement(routine.body,
                     [&](const sql::DbStatement&) { has_one = true; });
  return has_one;
}

bool calls_or_writes(const sql::Routine& routine) {
  bool does = false;
  for_each_statement(
      routine.body, [&](const sql::DbStatement& s) { does |= !s.is_select(); });
  for_each_pl(routine.body, [&](const sql::PlStatement& s) {
    does |= std::holds_alternative<sql::PlCall>(s.what);
  });
  return does;
}

}  // namespace

const char* symbolic::SymbolicTriggers::refusal(
    const sql::Application& application, const sql::Table& table) {
  for (const sql::Trigger& trigger : table.triggers) {
    if (!trigger.is_row) return "a trigger FOR EACH STATEMENT";
    if (trigger.has_transition) return "a trigger with a transition table";
    if (trigger.is_deferrable) return "a deferrable trigger";
    const sql::Routine& routine =
        application.at(sql::RoutineId(trigger.routine));
    if (trigger.is_before && calls_or_writes(routine))
      return "a BEFORE trigger that writes";
  }
  return "";
}

std::vector<const sql::Trigger*> symbolic::SymbolicTriggers::fired(
    const Event& event, bool is_before) const {
  std::vector<const sql::Trigger*> all;
  for (const sql::Trigger& trigger :
       tables_.schema().at(event.table).triggers) {
    if (trigger.is_before != is_before ||
        !trigger.is_on(sql::Trigger::kForever))
      continue;
    const bool fires = event.change == Change::Insert   ? trigger.on_insert
                       : event.change == Change::Delete ? trigger.on_delete
                                                        : trigger.on_update;
    const bool is_of =
        event.change != Change::Update || trigger.columns.empty() ||
        std::any_of(trigger.columns.begin(), trigger.columns.end(),
                    [&](std::uint32_t c) {
                      return std::count(event.columns.begin(),
                                        event.columns.end(), c) != 0;
                    });
    if (fires && is_of) all.push_back(&trigger);
  }
  return all;
}

/// Slots as TriggerSlots has them; the first is not an argument.
std::vector<SqlTerm> symbolic::SymbolicTriggers::arguments(
    const Event& event) const {
  const std::vector<sql::Column>& columns =
      tables_.schema().at(event.table).columns;
  const sql::TriggerSlots at;
  std::vector<SqlTerm> slots(at.old_row(columns.size()) + columns.size() - 1);
  slots[at.operation - 1] = path_.q.constant(
      sql::Value::text(kOperations[static_cast<std::size_t>(event.change)]));
  slots[at.result - 1] = path_.q.null_of(sql::Kind::Integer);
  const auto put = [&](std::size_t from, const TermRow& row) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      slots[from - 1 + c] =
          row.empty() ? path_.q.null_of(kind_of(columns[c].type.name)) : row[c];
  };
  put(at.new_row, event.now);
  put(at.old_row(columns.size()), event.old);
  return slots;
}

/// Its slots in the end, on the paths on which it fires.
std::vector<SqlTerm> symbolic::SymbolicTriggers::run(
    const sql::Trigger& trigger, const Event& event) {
  const sql::Routine& routine =
      context_.application.at(sql::RoutineId(trigger.routine));
  const Term others =
      path_.t.all_of({path_.alive, path_.t.negation(event.when)});
  path_.alive = path_.t.all_of({path_.alive, event.when});
  const bool asks = has_statements(routine);
  has_run_statements_ |= asks;
  auto suspended = tables_.suspend();
  RoutineEnd end = run_routine(context_, path_, on_, routine,
                               slots_of(path_.q, routine, arguments(event)));
  tables_.resume(std::move(suspended));
  path_.alive = path_.t.any_of({others, path_.alive});
  return std::move(end.slots);
}

void symbolic::SymbolicTriggers::before(Event& event) {
  const sql::TriggerSlots at;
  const std::size_t columns = tables_.schema().at(event.table).columns.size();
  for (const sql::Trigger* trigger : fired(event, true)) {
    if (path_.is_dead() || path_.t.is_false(event.when)) return;
    const std::vector<SqlTerm> slots = run(*trigger, event);
    const SqlTerm& result = slots[at.result];
    const auto is = [&](std::int64_t which) {
      return path_.q.equal(result, path_.q.constant(sql::Value::integer(which)),
                           path_.at);
    };
    // NEW of a DELETE and OLD of an INSERT are NULL, too.
    const Term is_none = event.change == Change::Delete   ? is(1)
                         : event.change == Change::Insert ? is(2)
                                                          : is(0);
    const Term is_skipped = path_.t.any_of({result.null, is(0), is_none});
    event.when = path_.t.all_of({event.when, path_.t.negation(is_skipped)});
    if (event.change == Change::Delete) continue;
    const Term is_old = is(2);
    for (std::size_t c = 0; c < columns; ++c)
      event.now[c] = path_.q.choose(is_old, slots[at.old_row(columns) + c],
                                    slots[at.new_row + c]);
  }
}

void symbolic::SymbolicTriggers::note(Event event) {
  if (!fired(event, false).empty()) due_.push_back(std::move(event));
}

// What a trigger's own statements set off runs inside of it.
void symbolic::SymbolicTriggers::after() {
  for (Event& event : std::exchange(due_, {})) {
    for (const sql::Trigger* trigger : fired(event, false)) {
      if (!path_.is_dead()) (void)run(*trigger, event);
    }
  }
}

}  // namespace txscope::symbolic
