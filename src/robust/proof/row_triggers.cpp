#include "robust/proof/row_triggers.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::robust {
namespace {

bool has_statement(const sql::Routine& routine) {
  bool has_one = false;
  sql::for_each_statement(routine.body,
                          [&](const sql::DbStatement&) { has_one = true; });
  return has_one;
}

/// Adds what the routine of a trigger does.
void add(const sql::Trigger& trigger, const sql::Routine& routine,
         RowTriggers& out) {
  const sql::TriggerSlots at;
  const std::size_t columns = out.columns.size();
  sql::for_each_pl(routine.body, [&](const sql::PlStatement& s) {
    if (std::holds_alternative<sql::PlCall>(s.what)) out.is_plain = false;
    const auto* assign = std::get_if<sql::PlAssign>(&s.what);
    if (assign == nullptr) return;
    if (assign->slot >= at.new_row && assign->slot < at.new_row + columns)
      out.columns[assign->slot - at.new_row] = true;
    if (assign->slot != at.result) return;
    const sql::Value& result = assign->value.value;
    const bool is_row = assign->value.op == sql::Op::Constant &&
                        result == sql::Value::integer(1);
    // OLD is the row of a DELETE, and of an UPDATE one that changes nothing.
    const bool is_old = assign->value.op == sql::Op::Constant &&
                        result == sql::Value::integer(2) && !trigger.on_insert;
    if (is_old && trigger.on_update)
      out.columns.assign(columns, true);
    else if (!is_old && (!is_row || trigger.on_delete))
      out.is_plain = false;
  });
}

}  // namespace

RowTriggers row_triggers_of(const sql::Application& application,
                            const sql::Table& table) {
  RowTriggers out;
  out.columns.assign(table.columns.size(), false);
  for (const sql::Trigger& trigger : table.triggers) {
    const sql::Routine& routine =
        application.at(sql::RoutineId(trigger.routine));
    out.is_any = true;
    if (!trigger.is_row || !trigger.is_before || trigger.is_deferrable ||
        has_statement(routine)) {
      out.is_plain = false;
    }
    add(trigger, routine, out);
  }
  return out;
}

}  // namespace txscope::robust
