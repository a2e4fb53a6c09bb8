#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {

void SchemaReader::create_trigger(const PgQuery__CreateTrigStmt& node) {
  const std::string name = catalog_.relation(qualified(*node.relation));
  const auto found = catalog_.table(name);
  if (!found) {  // of a view, or of a table that cannot be used anyway
    const auto of = catalog_.views.find(name);
    if (of != catalog_.views.end())
      of->second.has_triggers = true;
    else if (!catalog_.broken.contains(name))
      catalog_.assumed.insert(
          "triggers of " + name +
          ", which this file does not create, are left out");
    return;
  }
  constexpr std::int32_t kInsert = 4;  // TRIGGER_TYPE_... of pg_trigger.h
  constexpr std::int32_t kDelete = 8;
  constexpr std::int32_t kUpdate = 16;
  constexpr std::int32_t kRow = 1;
  constexpr std::int32_t kBefore = 2;
  constexpr std::int32_t kTruncate = 32;
  TriggerText text;
  text.table = *found;
  text.function =
      catalog_.routine_key(qualified(list(node.n_funcname, node.funcname)));
  Trigger& trigger = text.trigger;
  trigger.name = view(node.trigname);
  trigger.at = tree_.whole();
  trigger.is_row = node.row;
  trigger.is_before = (node.timing & kBefore) != 0;
  trigger.on_insert = (node.events & kInsert) != 0;
  trigger.on_update = (node.events & kUpdate) != 0;
  trigger.on_delete = (node.events & kDelete) != 0;
  (void)kRow;
  for (const Node* item : list(node.n_columns, node.columns)) {
    if (const auto column =
            column_of(catalog_.schema.at(*found), string_of(item))) {
      trigger.columns.push_back(*column);
    }
  }
  if ((node.events & kTruncate) != 0 && !trigger.on_insert &&
      !trigger.on_update && !trigger.on_delete) {
    return;  // sessions cannot TRUNCATE
  }
  if (node.when_clause != nullptr) text.when = when_of_trigger();
  for (const Node* item : list(node.n_args, node.args)) {
    text.arguments.emplace_back(string_of(item));
  }
  trigger.is_deferrable = node.deferrable || node.initdeferred;
  trigger.is_deferred = node.initdeferred;
  for (const Node* item : list(node.n_transition_rels, node.transition_rels)) {
    const PgQuery__TriggerTransition& rows = *item->trigger_transition;
    text.transition[rows.is_new ? 0 : 1] = view(rows.name);
    trigger.has_transition = true;
  }
  catalog_.triggers.push_back(std::move(text));
}

/// The text between the parentheses of WHEN.
std::optional<Span> SchemaReader::when_of_trigger() const {
  const Span whole = tree_.whole();
  const Tokens tokens =
      scan(tree_.source(), tree_.source().text(whole), whole.offset);
  for (std::size_t i = 0; i + 1 < tokens.list.size(); ++i) {
    if (!tokens.list[i].is("when") || !tokens.list[i + 1].is("(")) continue;
    int depth = 0;
    for (std::size_t j = i + 1; j < tokens.list.size(); ++j) {
      if (tokens.list[j].is("(")) ++depth;
      if (!tokens.list[j].is(")") || --depth > 0) continue;
      const std::size_t begin = tokens.list[i + 1].offset + 1;
      return tree_.source().span(begin, tokens.list[j].offset - begin);
    }
  }
  return std::nullopt;
}

Obstacle obstacle_of(const Trigger& trigger, const std::string& why) {
  Obstacle obstacle;
  obstacle.what = "the trigger '" + trigger.name + "'";
  obstacle.why = why;
  obstacle.at = trigger.at;
  obstacle.on_insert = trigger.on_insert;
  obstacle.on_update = trigger.on_update;
  obstacle.on_delete = trigger.on_delete;
  obstacle.columns = trigger.columns;
  return obstacle;
}

}  // namespace txscope::sql
