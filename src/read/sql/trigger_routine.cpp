// The functions of triggers: one routine per trigger, with the columns of its
// table as slots.

#include <array>
#include <utility>

#include "read/sql/routine_builder.h"
#include "read/sql/token.h"

namespace txscope::sql {
namespace {

Expr text_constant(std::string_view text, Span at) {
  return constant(Value::text(text), kText, at);
}

}  // namespace

void RoutineBuilder::begin_trigger(const TriggerText& text) {
  is_trigger = true;
  const Span at = text.trigger.at;
  const Table& table = catalog_.schema.at(text.table);
  const auto scalar = [&](const char* name, Type type) {
    Binding binding;
    binding.slot = add_slot("", type, at);
    binding.is_constant = true;
    if (*name != 0) scopes_[0].names[name] = binding;
    return binding.slot;
  };
  (void)scalar("tg_op", kText);  // TriggerSlots::operation
  (void)scalar("", kInteger);    // result
  for (const char* name : {"new", "old"}) {
    Binding binding;
    binding.kind = Binding::Kind::Record;
    binding.which = add_record();
    Record& made = record(binding.which);
    for (const Column& column : table.columns)
      made.fields.push_back(
          {column.name, add_slot("", column.type, at), column.type});
    made.has_shape = true;
    made.is_row = true;
    scopes_[0].names[name] = binding;
  }
  routine.parameters = static_cast<std::uint32_t>(routine.variables.size() - 1);
  const Trigger& trigger = text.trigger;
  const std::array<std::pair<const char*, std::string>, 6> fixed = {{
      {"tg_name", trigger.name},
      {"tg_when", trigger.is_before ? "BEFORE" : "AFTER"},
      {"tg_level", trigger.is_row ? "ROW" : "STATEMENT"},
      {"tg_table_name", table.name},
      {"tg_relname", table.name},
      {"tg_table_schema", "public"},
  }};
  for (const auto& [name, value] : fixed)
    assign(scalar(name, kText), text_constant(value, at), at, routine.body);
}

void RoutineBuilder::finish_trigger(const TriggerText& text, PlBlock body) {
  const Span at = text.trigger.at;
  if (!text.when) {
    std::move(body.begin(), body.end(), std::back_inserter(routine.body));
    return;
  }
  const Tokens tokens =
      scan(source_, source_.text(*text.when), text.when->offset);
  PlIf when;
  PlIf::Arm& arm = when.arms.emplace_back();
  arm.condition = condition(tokens.list, *text.when, arm.before, "WHEN");
  arm.body = std::move(body);
  // Not fired: the row passes as it is.
  const TriggerSlots slots;
  Expr one = constant(Value::integer(1), kInteger, at);
  assign(slots.result, std::move(one), at, when.otherwise);
  PlStatement statement;
  statement.at = at;
  statement.what = std::move(when);
  routine.body.push_back(std::move(statement));
  PlStatement back;
  back.at = at;
  back.what = PlReturn{};
  routine.body.push_back(std::move(back));
}

}  // namespace txscope::sql
