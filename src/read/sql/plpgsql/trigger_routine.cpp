// The functions of triggers: one routine per trigger, with the columns of its
// table as slots.

#include <array>
#include <utility>

#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_reader.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/token.h"

namespace txscope::sql {
namespace {

Expr text_constant(std::string_view text, Span at) {
  return constant(Value::text(text), kText, at);
}

}  // namespace

namespace {

/// The columns of relation 0 are the fields of NEW.
void name_new_row(Expr& e) {
  if (e.op == Op::Column) {
    e.op = Op::Variable;
    e.index += TriggerSlots().new_row;
  }
  for (Expr& arg : e.args) name_new_row(arg);
}

}  // namespace

Routine read_generated(const Source& source, const Catalog& catalog,
                       const TriggerText& trigger) {
  RoutineBuilder builder(source, catalog);
  Routine& routine = builder.routine;
  routine.name = trigger.trigger.name;
  routine.is_function = true;
  routine.result = {TypeName::Void, 0, 0};
  routine.at = trigger.trigger.at;
  builder.begin_trigger(trigger);
  const TriggerSlots slots;
  // One may not be made of another, so that their order does not matter.
  for (const auto& [column, value] : trigger.generated) {
    Expr made = value;
    name_new_row(made);
    builder.assign(slots.new_row + column, std::move(made), routine.at,
                   routine.body);
  }
  builder.assign(slots.result,
                 constant(Value::integer(1), kInteger, routine.at), routine.at,
                 routine.body);
  routine.body.push_back({routine.at, PlReturn{}});
  return std::move(routine);
}

Expr is_operation(std::string_view name, Span at) {
  Expr operation;
  operation.op = Op::Variable;
  operation.type = kText;
  operation.index = TriggerSlots().operation;
  operation.at = at;
  Expr test;
  test.op = Op::Equal;
  test.type = kBoolean;
  test.at = at;
  test.args = {std::move(operation), text_constant(name, at)};
  return test;
}

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
  for (const auto& [name, value] : fixed) {
    assign(scalar(name, kText), text_constant(value, at), at, routine.body);
    constant_texts_[name] = value;
  }
  for (std::uint32_t which = 0; which < text.transition.size(); ++which) {
    if (text.transition[which].empty()) continue;
    auto rows = std::make_shared<Query>();
    rows->set = SetKind::Transition;
    rows->number = which;
    rows->at = at;
    for (const Column& column : table.columns)
      rows->targets.push_back(
          {column.name, constant(Value(), column.type, at)});
    transition_[text.transition[which]] = std::move(rows);
  }
  std::vector<Value> arguments;
  for (const std::string& argument : text.arguments)
    arguments.push_back(Value::text(argument));
  trigger_arguments_ = text.arguments;
  assign(scalar("tg_nargs", kInteger),
         constant(Value::integer(static_cast<std::int64_t>(arguments.size())),
                  kInteger, at),
         at, routine.body);
  const Type texts = array_of(kText);
  trigger_arguments_slot_ = scalar("tg_argv", texts);
  assign(trigger_arguments_slot_,
         constant(arguments.empty() ? Value() : Value::array(arguments), texts,
                  at),
         at, routine.body);
}

std::optional<std::string> RoutineBuilder::constant_text(
    std::string_view name) const {
  const auto found = constant_texts_.find(name);
  if (found == constant_texts_.end()) return std::nullopt;
  // Unless a variable of the routine has the name.
  const std::array<std::string, 1> plain = {std::string(name)};
  const Binding* seen = binding(plain);
  const auto own = scopes_[0].names.find(name);
  const bool is_it =
      seen != nullptr && own != scopes_[0].names.end() && seen == &own->second;
  return is_it ? std::optional(found->second) : std::nullopt;
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
  const auto give = [&](std::int64_t which, PlBlock& to) {
    assign(slots.result, constant(Value::integer(which), kInteger, at), at, to);
  };
  PlIf passes;
  PlIf::Arm& deletes = passes.arms.emplace_back();
  deletes.condition = is_operation("DELETE", at);
  give(2, deletes.body);
  give(1, passes.otherwise);
  PlStatement both;
  both.at = at;
  both.what = std::move(passes);
  when.otherwise.push_back(std::move(both));
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
