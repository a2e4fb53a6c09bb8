#include <algorithm>

#include "model/sql/composite.h"
#include "model/sql/enumeration.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

std::string last_name(std::size_t n, Node** names) {
  return n == 0 ? std::string() : std::string(string_of(names[n - 1]));
}

const Node& without_casts(const Node& node) {
  const Node* at = &node;
  while (at->node_case == PG_QUERY__NODE__NODE_TYPE_CAST) {
    at = at->type_cast->arg;
  }
  return *at;
}

std::string_view text_of(const Node& node) {
  const Node& at = without_casts(node);
  const bool is_text = at.node_case == PG_QUERY__NODE__NODE_A_CONST &&
                       at.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  return is_text ? view(at.a_const->sval->sval) : std::string_view();
}

}  // namespace

std::optional<QualifiedName> sequence_named(const Node& value) {
  const Node& node = without_casts(value);
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return std::nullopt;
  return sequence_argument(*node.func_call);
}

std::optional<QualifiedName> sequence_argument(const PgQuery__FuncCall& call) {
  if (call.n_args == 0) return std::nullopt;
  const std::string_view text = text_of(*call.args[0]);
  if (text.empty()) return std::nullopt;
  return qualified(text);
}

/// nextval('sequence') and gen_random_uuid() as a default: a sequence of the
/// column.
bool SchemaReader::add_generator(const Node& value, std::uint32_t column) {
  const Node& node = without_casts(value);
  if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return false;
  const PgQuery__FuncCall& call = *node.func_call;
  const std::string name = last_name(call.n_funcname, call.funcname);
  if (catalog_.routine(name) != nullptr) return false;
  Column& into = table_.columns[column];
  if (name == "nextval") {
    const auto wanted = sequence_named(node);
    if (!wanted) return false;
    const auto found = catalog_.sequence_ids.find(catalog_.relation(*wanted));
    if (found == catalog_.sequence_ids.end()) {
      source_.fail(tree_.at(call.location),
                   "unknown sequence '" + wanted->name + "'");
    }
    into.sequence = found->second;
    return true;
  }
  const bool is_plain = node.node_case == value.node_case;
  if (!makes_uuid(name) || !is_plain || !catalog_.fresh ||
      into.type.name != TypeName::Uuid) {
    return false;
  }
  into.sequence = catalog_.fresh;
  return true;
}

namespace {

/// VALUE of a domain's condition is this column.
void name_column(Expr& e, std::uint32_t column) {
  if (e.op == Op::Column) e.index = column;
  for (Expr& arg : e.args) name_column(arg, column);
}

}  // namespace

void SchemaReader::check_domain(const PgQuery__ColumnDef& node,
                                std::uint32_t column) {
  const PgQuery__TypeName& type = *node.type_name;
  const TypeAlias* alias = catalog_.type(
      catalog_.relation(qualified(list(type.n_names, type.names))));
  if (alias == nullptr) return;
  if (alias->is_not_null) table_.columns[column].is_nullable = false;
  for (const Expr& of_value : alias->checks) {
    Check check;
    check.name = plain_ + "_" + table_.columns[column].name + "_domain";
    check.condition = of_value;
    name_column(check.condition, column);
    check.at = tree_.at(node.location);
    table_.checks.push_back(std::move(check));
  }
  if (alias->has_more) {
    obstacle(
        {"the CHECK of the domain of '" + table_.columns[column].name + "'",
         tree_.at(node.location),
         true,
         true,
         false,
         {column}});
  }
}

namespace {

/// In which of its passes over the table PostgreSQL carries a command out.
int pass_of(const PgQuery__AlterTableCmd& command) {
  switch (command.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint: return 0;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType: return 1;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: return 2;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint: return 4;
    default: return 3;
  }
}

}  // namespace

void SchemaReader::alter_table(const PgQuery__AlterTableStmt& node,
                               bool is_used) {
  is_used_ = is_used;
  const std::string name = catalog_.relation(qualified(*node.relation));
  const Span at = tree_.dotted_name(node.relation->location);
  const auto found = catalog_.table(name);
  const bool is_other = node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX ||
                        catalog_.sequence_ids.contains(name) ||
                        catalog_.views.contains(name) ||
                        catalog_.broken.contains(name) || node.missing_ok;
  if (!found && is_other) return;
  if (!found && catalog_.is_elsewhere(name))
    source_.gap(at, "unknown table '" + name + "'");
  if (!found) {
    source_.fail(at, "unknown table '" + name + "'",
                 hint_among(name, catalog_.table_names(), "tables"));
  }
  id_ = *found;
  table_ = catalog_.schema.at(id_);
  plain_ = catalog_.relation_names.plain(name);
  schema_ = catalog_.relation_names.schema_of(name);
  // As PostgreSQL does: what is dropped first, constraints last, so that they
  // may name what the same statement adds.
  std::vector<const PgQuery__AlterTableCmd*> commands;
  for (const Node* item : list(node.n_cmds, node.cmds))
    commands.push_back(item->alter_table_cmd);
  std::stable_sort(
      commands.begin(), commands.end(),
      [](const auto* a, const auto* b) { return pass_of(*a) < pass_of(*b); });
  for (const PgQuery__AlterTableCmd* command : commands) alter(*command);
  keep_obstacles(id_);
  catalog_.schema.tables[id_.index] = std::move(table_);
}

void SchemaReader::add_foreign_key(const PgQuery__RangeVar& table,
                                   const PgQuery__Constraint& node) {
  const std::string name = catalog_.relation(qualified(table));
  const auto found = catalog_.table(name);
  if (!found) return;
  id_ = *found;
  table_ = catalog_.schema.at(id_);
  plain_ = catalog_.relation_names.plain(name);
  schema_ = catalog_.relation_names.schema_of(name);
  add_foreign(node, columns(list(node.n_fk_attrs, node.fk_attrs), table_,
                            tree_.at(node.location)));
  keep_obstacles(id_);
  catalog_.schema.tables[id_.index] = std::move(table_);
}

void SchemaReader::alter(const PgQuery__AlterTableCmd& command) {
  const std::string_view name = view(command.name);
  const Span whole = tree_.whole();
  const auto column = [&]() -> std::uint32_t {
    const auto found = column_of(table_, name);
    if (!found) {
      source_.fail(
          whole,
          "'" + table_.name + "' has no column '" + std::string(name) + "'",
          hint_among(name, column_names(table_), "columns"));
    }
    return *found;
  };
  switch (command.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint: {
      const PgQuery__Constraint& constraint = *command.def->constraint;
      if (view(constraint.indexname).empty()) {
        table_constraint(constraint);
        return;
      }
      // ADD CONSTRAINT ... USING INDEX: the key is there already.
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: {
      const PgQuery__ColumnDef& def = *command.def->column_def;
      if (column_of(table_, view(def.colname)) && command.missing_ok) return;
      add_column(def);
      const auto number = static_cast<std::uint32_t>(table_.columns.size() - 1);
      column_constraints(def, number);
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault: {
      const std::uint32_t number = column();
      table_.columns[number].default_value.reset();
      table_.columns[number].sequence.reset();
      if (command.def != nullptr) set_default(number, command.def, whole);
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
      table_.columns[column()].is_nullable = false;
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull:
      table_.columns[column()].is_nullable = true;
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity:
      add_identity(*command.def->constraint, column());
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType:
      alter_type(*command.def->column_def, column());
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint: {
      const auto is_it = [&](const auto& c) { return c.name == name; };
      std::erase_if(table_.checks, is_it);
      std::erase_if(table_.foreign, is_it);
      const bool was_primary = table_.has_primary_key &&
                               !table_.unique.empty() &&
                               table_.unique[0].name == name;
      std::erase_if(table_.unique, is_it);
      std::erase_if(table_.partial, is_it);
      if (was_primary) table_.has_primary_key = false;
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
      if (!column_of(table_, name) && command.missing_ok) return;
      return drop_column(column());
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity:
      source_.unsupported(whole, "this ALTER TABLE is");
    default: return;  // owner, storage, statistics, row security, partitions
  }
}

void SchemaReader::alter_type(const PgQuery__ColumnDef& node,
                              std::uint32_t column) {
  const Type to = read_type(tree_, catalog_, *node.type_name);
  Column& into = table_.columns[column];
  if (kind_of(to.name) != kind_of(into.type.name) &&
      !(is_number(to.name) && is_number(into.type.name))) {
    source_.unsupported(tree_.whole(),
                        "ALTER COLUMN from " + to_string(into.type) + " to " +
                            to_string(to) + " is",
                        "write the type in CREATE TABLE");
  }
  into.type = to;
}

void SchemaReader::create_sequence(const PgQuery__CreateSeqStmt& node) {
  Sequence sequence;
  sequence.name = catalog_.new_relation(view(node.sequence->schemaname),
                                        view(node.sequence->relname));
  if (catalog_.sequence_ids.contains(sequence.name)) {
    if (node.if_not_exists) return;
    source_.there_already(tree_.whole(),
                          "sequence '" + sequence.name + "' is created twice");
  }
  bool is_odd = false;
  for (const Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    if (option.arg == nullptr ||
        option.arg->node_case != PG_QUERY__NODE__NODE_INTEGER) {
      continue;
    }
    if (name == "start") sequence.start = option.arg->integer->ival;
    if (name == "increment") sequence.increment = option.arg->integer->ival;
    is_odd |= name == "maxvalue" && option.arg->integer->ival < kFewNumbers;
  }
  if (sequence.start < 1 || sequence.increment < 1 || is_odd) {
    source_.unsupported(tree_.whole(),
                        "a sequence that starts below 1, descends or has few "
                        "numbers is");
  }
  catalog_.sequence_ids[sequence.name] =
      static_cast<std::uint32_t>(catalog_.schema.sequences.size());
  catalog_.schema.sequences.push_back(std::move(sequence));
}

void SchemaReader::add_type(const QualifiedName& name, TypeAlias alias) {
  catalog_.types[catalog_.new_relation(name.schema, name.name)] =
      std::move(alias);
}

void SchemaReader::create_enum(const PgQuery__CreateEnumStmt& node) {
  Enumeration enumeration;
  enumeration.name = last_name(node.n_type_name, node.type_name);
  for (const Node* item : list(node.n_vals, node.vals)) {
    enumeration.labels.emplace_back(string_of(item));
  }
  TypeAlias alias;
  alias.type = {TypeName::Enum};
  alias.type.of = number_of(std::move(enumeration));
  add_type(qualified(list(node.n_type_name, node.type_name)), alias);
}

/// ALTER TYPE ... ADD VALUE: columns of the old one are of the new one.
void SchemaReader::alter_enum(const PgQuery__AlterEnumStmt& node) {
  const std::string name =
      catalog_.relation(qualified(list(node.n_type_name, node.type_name)));
  const auto found = catalog_.types.find(name);
  if (found == catalog_.types.end() ||
      found->second.type.name != TypeName::Enum) {
    source_.fail(tree_.whole(), "unknown enum '" + name + "'");
  }
  const std::uint16_t old = found->second.type.of;
  Enumeration changed = enumeration(old);
  const auto label = [&changed](std::string_view wanted) {
    return std::find(changed.labels.begin(), changed.labels.end(), wanted);
  };
  if (!view(node.old_val).empty()) {
    source_.unsupported(tree_.whole(), "RENAME VALUE is");
  }
  if (label(view(node.new_val)) != changed.labels.end()) return;
  auto where = changed.labels.end();
  if (!view(node.new_val_neighbor).empty()) {
    where = label(view(node.new_val_neighbor));
    if (node.new_val_is_after && where != changed.labels.end()) ++where;
  }
  changed.labels.insert(where, std::string(view(node.new_val)));
  const std::uint16_t number = number_of(std::move(changed));
  found->second.type.of = number;
  for (Table& table : catalog_.schema.tables) {
    for (Column& column : table.columns) {
      const bool is_it = (column.type.name == TypeName::Enum ||
                          column.type.element == TypeName::Enum) &&
                         column.type.of == old;
      if (is_it) column.type.of = number;
    }
  }
}

void SchemaReader::create_composite(const PgQuery__CompositeTypeStmt& node) {
  TypeAlias alias;
  for (const Node* item : list(node.n_coldeflist, node.coldeflist)) {
    const PgQuery__ColumnDef& column = *item->column_def;
    alias.fields.emplace_back(view(column.colname),
                              read_type(tree_, catalog_, *column.type_name));
  }
  alias.type =
      composite_type({std::string(view(node.typevar->relname)), alias.fields});
  add_type(qualified(*node.typevar), std::move(alias));
}

void SchemaReader::create_domain(const PgQuery__CreateDomainStmt& node) {
  TypeAlias alias;
  alias.type = read_type(tree_, catalog_, *node.type_name);
  for (const Node* item : list(node.n_constraints, node.constraints)) {
    const PgQuery__Constraint& constraint = *item->constraint;
    alias.is_not_null |=
        constraint.contype == PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL;
    alias.has_more |=
        constraint.contype == PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT;
    if (constraint.contype != PG_QUERY__CONSTR_TYPE__CONSTR_CHECK) continue;
    try {
      Table value;
      value.columns.emplace_back();
      value.columns[0].name = "value";
      value.columns[0].type = alias.type;
      Analyzer analyzer(tree_, catalog_, nullptr);
      Expr condition = analyzer.of_row(*constraint.raw_expr, &value);
      alias.has_more |= has_subquery_or_call(condition) ||
                        !converts(condition.type, kBoolean);
      alias.checks.push_back(convert(source_, std::move(condition), kBoolean));
    } catch (const Failure&) {
      alias.has_more = true;
    }
  }
  add_type(qualified(list(node.n_domainname, node.domainname)),
           std::move(alias));
}

/// GENERATED ALWAYS AS (expression) STORED.
void SchemaReader::add_generated(const PgQuery__Constraint& node,
                                 std::uint32_t column) {
  Column& into = table_.columns[column];
  const Span at = tree_.at(node.location);
  Expr value;
  try {
    Analyzer analyzer(tree_, catalog_, nullptr);
    value = analyzer.of_row(*node.raw_expr, &table_, id_);
  } catch (const Failure& failure) {
    obstacle({"the generated column '" + into.name + "' (" +
                  failure.error.what + ")",
              at});
    return;
  }
  if (has_subquery_or_call(value)) {
    obstacle(
        {"the own function in the generated column '" + into.name + "'", at});
    return;
  }
  if (!assigns(value.type, into.type)) {
    source_.fail(value.at, "column '" + into.name + "' is of type " +
                               to_string(into.type) +
                               " but its expression is of type " +
                               to_string(value.type));
  }
  into.is_always_generated = true;
  const auto mine =
      std::find_if(catalog_.triggers.begin(), catalog_.triggers.end(),
                   [this](const TriggerText& t) {
                     return t.table == id_ && !t.generated.empty();
                   });
  if (mine != catalog_.triggers.end()) {
    mine->generated.emplace_back(column, std::move(value));
    return;
  }
  TriggerText text;
  text.table = id_;
  text.trigger.name = "\x7f generated columns";  // after all that have names
  text.trigger.at = at;
  text.trigger.is_before = true;
  text.trigger.is_row = true;
  text.trigger.on_insert = true;
  text.trigger.on_update = true;
  text.generated.emplace_back(column, std::move(value));
  catalog_.triggers.push_back(std::move(text));
}

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
