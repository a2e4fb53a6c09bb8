// Functions that give rows: in FROM, and in place of a column.

#include <algorithm>
#include <array>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

struct SetFunction {
  std::string_view name;
  SetKind kind;
};
constexpr std::array<SetFunction, 12> kSetFunctions = {{
    {"generate_series", SetKind::Series},
    {"unnest", SetKind::Items},
    {"json_array_elements", SetKind::JsonItems},
    {"jsonb_array_elements", SetKind::JsonItems},
    {"json_array_elements_text", SetKind::JsonItemsText},
    {"jsonb_array_elements_text", SetKind::JsonItemsText},
    {"json_each", SetKind::JsonEach},
    {"jsonb_each", SetKind::JsonEach},
    {"json_each_text", SetKind::JsonEachText},
    {"jsonb_each_text", SetKind::JsonEachText},
    {"json_object_keys", SetKind::JsonEach},
    {"jsonb_object_keys", SetKind::JsonEach},
}};

bool is_recordset(std::string_view name) {
  return name.ends_with("_to_recordset") || name.ends_with("_to_record") ||
         name.ends_with("_populate_recordset") ||
         name.ends_with("_populate_record");
}

}  // namespace

/// What it gives; nothing: it is another function.
std::shared_ptr<Query> FromClause::rows_of_call(const PgQuery__FuncCall& call) {
  const std::string name(string_of(call.funcname[call.n_funcname - 1]));
  const auto known =
      std::find_if(kSetFunctions.begin(), kSetFunctions.end(),
                   [&](const SetFunction& f) { return f.name == name; });
  if (known == kSetFunctions.end() || scope_.catalog.routine(name) != nullptr)
    return nullptr;
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  level().clause = Clause::Values;
  std::vector<Expr> args = all_.expressions.exprs(list(call.n_args, call.args));
  auto inner = set_function(known->kind, name, std::move(args),
                            scope_.tree.at(call.location));
  scope_.levels.pop_back();
  scope_.looks_at_tables = true;
  return inner;
}

/// FROM unnest(...), generate_series(...), ...: sees what stands before it.
std::uint32_t FromClause::add_function(Query& query,
                                       const PgQuery__RangeFunction& node) {
  const Span at = scope_.tree.word({"from"});
  const PgQuery__List& item = *node.functions[0]->list;
  if (node.n_functions != 1 || node.is_rowsfrom ||
      item.items[0]->node_case != PG_QUERY__NODE__NODE_FUNC_CALL) {
    source().unsupported(at, "this function in FROM is");
  }
  const PgQuery__FuncCall& call = *item.items[0]->func_call;
  const std::string name(string_of(call.funcname[call.n_funcname - 1]));
  auto inner = is_recordset(name)       ? recordset(call, name, node)
               : node.n_coldeflist == 0 ? rows_of_call(call)
                                        : nullptr;
  if (inner == nullptr && node.n_coldeflist == 0) inner = rows_of_own(call);
  if (inner == nullptr) {
    source().unsupported(scope_.tree.at(call.location),
                         "the function '" + name + "' in FROM is",
                         "call it alone: SELECT * FROM " + name + "(...)");
  }
  if (node.ordinality && inner->set == SetKind::None)
    source().unsupported(at, "WITH ORDINALITY of this function is");
  RelationNames names;
  names.name = node.alias != nullptr ? view(node.alias->aliasname) : name;
  names.is_scalar = inner->targets.size() == 1;
  if (node.ordinality) {
    inner->is_all = true;
    inner->targets.push_back(
        {"ordinality", constant({}, {TypeName::BigInt}, at)});
  }
  std::vector<std::string> columns;
  for (const Target& target : inner->targets) columns.push_back(target.name);
  // A column of one that has a single one is called as the alias is.
  if (columns.size() == 1 && node.alias != nullptr && columns[0] == name) {
    columns[0] = names.name;
  }
  return all_.sets.add_query(query, std::move(inner), std::move(names),
                             std::move(columns), node.alias, at, true);
}

/// SELECT unnest(...): as if it stood behind FROM; nothing: it is no such
/// function.
std::optional<Target> FromClause::rows_target(const Node& value) {
  if (level().query == nullptr ||
      value.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) {
    return std::nullopt;
  }
  const PgQuery__FuncCall& call = *value.func_call;
  const std::string name(string_of(call.funcname[call.n_funcname - 1]));
  auto inner = rows_of_call(call);
  if (inner == nullptr) return std::nullopt;
  const Span at = scope_.tree.at(call.location);
  if (inner->targets.size() != 1 || level().gives_rows) {
    source().unsupported(at, "this use of '" + name + "' among the columns is",
                         "call it in FROM");
  }
  level().gives_rows = true;
  RelationNames names;
  names.is_visible = false;
  const Type type = inner->targets[0].expr.type;
  Expr column = make(Op::Column, type, {}, at);
  column.relation =
      all_.sets.add_query(*level().query, std::move(inner), std::move(names),
                          {name}, nullptr, at, true);
  return Target{name, std::move(column)};
}

/// json_to_recordset(...) AS t (a integer, ...): the members of its objects.
std::shared_ptr<Query> FromClause::recordset(
    const PgQuery__FuncCall& call, const std::string& name,
    const PgQuery__RangeFunction& node) {
  const Span at = scope_.tree.at(call.location);
  std::vector<std::pair<std::string, Type>> columns;
  for (const Node* item : list(node.n_coldeflist, node.coldeflist)) {
    const PgQuery__ColumnDef& column = *item->column_def;
    columns.emplace_back(
        view(column.colname),
        read_type(scope_.tree, scope_.catalog, *column.type_name));
  }
  const bool is_populated = name.find("_populate_") != std::string::npos;
  const std::size_t wanted = is_populated ? 2 : 1;
  if (is_populated && call.n_args == 2 &&
      call.args[0]->node_case == PG_QUERY__NODE__NODE_TYPE_CAST) {
    // NULL::t
    const PgQuery__TypeCast& of = *call.args[0]->type_cast;
    const auto table = scope_.catalog.table(scope_.catalog.relation(
        qualified(list(of.type_name->n_names, of.type_name->names))));
    const bool is_null = of.arg->node_case == PG_QUERY__NODE__NODE_A_CONST &&
                         of.arg->a_const->isnull;
    if (table && is_null)
      for (const Column& column : scope_.catalog.schema.at(*table).columns)
        columns.emplace_back(column.name, column.type);
  }
  if (columns.empty() || call.n_args != wanted) {
    source().unsupported(at, "this form of '" + name + "' is",
                         "declare its columns: AS t (a integer, b text)");
  }
  // The query of the members, and that of the objects in its FROM.
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  auto outer = std::make_shared<Query>();
  outer->at = at;
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  level().clause = Clause::Values;
  const Type json{name.starts_with("jsonb") ? TypeName::Jsonb : TypeName::Json};
  Expr given = all_.expressions.expr(call.args[wanted - 1]);
  if (!converts(given.type, json)) {
    source().fail(at, "the argument of '" + name + "' must be " +
                          to_string(json) + ", not " + to_string(given.type));
  }
  given = convert(source(), std::move(given), json);
  auto objects = std::make_shared<Query>();
  objects->at = at;
  objects->set = name.ends_with("set") ? SetKind::JsonItems : SetKind::Values;
  objects->targets.push_back({"value", constant({}, json, at)});
  objects->values.emplace_back();
  objects->values[0].push_back(std::move(given));
  scope_.levels.pop_back();
  RelationNames names;
  (void)all_.sets.add_query(*outer, std::move(objects), std::move(names),
                            {"value"}, nullptr, at, true);
  for (const auto& [title, type] : columns) {
    const bool is_json =
        type.name == TypeName::Json || type.name == TypeName::Jsonb;
    Expr member = all_.operators.binary(
        is_json ? "->" : "->>", make(Op::Column, json, {}, at),
        constant(Value::text(title), kText, at), at);
    outer->targets.push_back({title, cast(source(), std::move(member), type)});
  }
  scope_.levels.pop_back();
  scope_.looks_at_tables = true;
  return outer;
}

std::shared_ptr<Query> FromClause::set_function(SetKind kind,
                                                const std::string& name,
                                                std::vector<Expr> args,
                                                Span at) {
  auto inner = std::make_shared<Query>();
  inner->at = at;
  inner->set = kind;
  const auto column = [&](std::string title, Type type) {
    inner->targets.push_back({std::move(title), constant({}, type, at)});
  };
  if (kind == SetKind::Series) {
    if (args.size() < 2 || args.size() > 3)
      all_.functions.unknown_function(name, args, at);
    const bool is_time_series = is_time(args[0].type.name);
    Type type;
    for (std::size_t i = 0; i < (is_time_series ? 2 : args.size()); ++i) {
      const auto next = combined_type(type, args[i].type);
      if (!next) all_.functions.unknown_function(name, args, at);
      type = *next;
    }
    if (type.name == TypeName::SmallInt) type = kInteger;
    if (type.name == TypeName::Date) type = {TypeName::TimestampTz};
    const bool is_known =
        type.name == TypeName::Integer || type.name == TypeName::BigInt ||
        type.name == TypeName::Numeric || (is_time_series && args.size() == 3);
    if (!is_known) all_.functions.unknown_function(name, args, at);
    for (std::size_t i = 0; i < args.size(); ++i) {
      const Type wanted =
          is_time_series && i == 2 ? Type{TypeName::Interval} : bare(type);
      if (!converts(args[i].type, wanted))
        all_.functions.unknown_function(name, args, at);
      args[i] = convert(source(), std::move(args[i]), wanted);
    }
    column(name, bare(type));
  } else if (kind == SetKind::Items) {
    for (const Expr& arg : args) {
      if (arg.type.name != TypeName::Array)
        all_.functions.unknown_function(name, args, at);
      column(name, element_of(arg.type));
    }
  } else {
    const Type json{name.starts_with("jsonb") ? TypeName::Jsonb
                                              : TypeName::Json};
    if (args.size() != 1 || !converts(args[0].type, json)) {
      all_.functions.unknown_function(name, args, at);
    }
    args[0] = convert(source(), std::move(args[0]), json);
    const bool is_each =
        kind == SetKind::JsonEach || kind == SetKind::JsonEachText;
    const bool as_text =
        kind == SetKind::JsonItemsText || kind == SetKind::JsonEachText;
    const bool is_keys = name.ends_with("_object_keys");
    if (is_each) column(is_keys ? name : "key", kText);
    if (!is_keys) column("value", as_text ? kText : json);
  }
  inner->values.push_back(std::move(args));
  return inner;
}

}  // namespace txscope::sql::analyzer
