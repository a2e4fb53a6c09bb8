#include "read/sql/routine_reader.h"

#include <algorithm>

#include "read/sql/plpgsql.h"
#include "read/sql/schema_reader.h"

namespace txscope::sql {
namespace {

/// Where a body stands between its quotes.
Span body_span(const Tree& tree, const PgQuery__DefElem& as) {
  const Source& source = tree.source();
  if (as.arg == nullptr || as.arg->node_case != PG_QUERY__NODE__NODE_LIST ||
      as.arg->list->n_items != 1) {
    source.unsupported(tree.at(as.location), "a routine in C is");
  }
  const std::vector<Token>& tokens = tree.tokens();
  const Token* token = tree.token(as.location);
  const Token* const end = tokens.data() + tokens.size();
  while (token != nullptr && token < end && token->kind != TokenKind::String) {
    ++token;
  }
  if (token == nullptr || token == end) {
    source.fail(tree.at(as.location), "expected the routine's body");
  }
  const Span whole = source.span(token->offset, token->length);
  const std::string_view text = source.text(whole);
  std::size_t quote = 1;
  if (text.starts_with('$')) {
    quote = text.find('$', 1) + 1;
  } else if (!text.starts_with('\'') ||
             text.substr(1, text.size() - 2).find('\'') !=
                 std::string_view::npos) {
    source.unsupported(whole, "a body in this kind of quotes is",
                       "write it between $$ and $$");
  }
  return source.span(token->offset + quote, token->length - 2 * quote);
}

/// BEGIN ATOMIC ... END, or RETURN with an expression.
Span unquoted_body(const Tree& tree) {
  const Source& source = tree.source();
  const std::vector<Token>& tokens = tree.tokens();
  const Span whole = tree.whole();
  std::size_t i = token_at(tokens, whole.offset);
  std::size_t end = i;
  while (end < tokens.size() &&
         tokens[end].offset < whole.offset + whole.length) {
    ++end;
  }
  for (int depth = 0; i < end; ++i) {
    if (tokens[i].is("(")) ++depth;
    if (tokens[i].is(")")) --depth;
    if (depth == 0 && (tokens[i].is("atomic") || tokens[i].is("return"))) break;
  }
  const bool is_block = i < end && tokens[i].is("atomic");
  const std::size_t first = is_block ? i + 1 : i;
  const std::size_t last = is_block ? end - 1 : end;  // without END
  if (i >= end || first >= last) {
    return source.span(whole.offset + whole.length, 0);
  }
  return source.span(tokens[first].offset,
                     tokens[last - 1].end() - tokens[first].offset);
}

void read_options(const Tree& tree, const PgQuery__CreateFunctionStmt& node,
                  RoutineText& text) {
  const Source& source = tree.source();
  std::string language;
  bool has_body = false;
  for (const Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    const Span at = tree.at(option.location);
    if (name == "language") {
      language = string_of(option.arg);
    } else if (name == "as") {
      text.body = body_span(tree, option);
      has_body = true;
    } else if (name == "volatility") {
      const std::string_view value = string_of(option.arg);
      text.signature.volatility = value == "stable"      ? Volatility::Stable
                                  : value == "immutable" ? Volatility::Immutable
                                                         : Volatility::Volatile;
    } else if (name == "strict") {
      text.signature.is_strict =
          option.arg != nullptr &&
          option.arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN &&
          option.arg->boolean->boolval;
    } else if (name == "window" || name == "transform" || name == "support") {
      source.unsupported(at, "this option is");
    }
    // security, leakproof, parallel, cost, rows: nothing that happens changes.
  }
  if (node.sql_body != nullptr) {
    text.body = unquoted_body(tree);
    has_body = true;
    if (language.empty()) language = "sql";
  }
  if (!has_body) source.fail(text.signature.at, "this routine has no body");
  if (language != "plpgsql" && language != "sql") {
    source.unsupported(text.signature.at, "the language '" + language + "' is",
                       "plpgsql and sql are");
  }
  text.is_plpgsql = language == "plpgsql";
}

void read_parameters(const Tree& tree, const Catalog& catalog,
                     const PgQuery__CreateFunctionStmt& node,
                     Signature& signature) {
  const Source& source = tree.source();
  bool had_default = false;
  for (const Node* item : list(node.n_parameters, node.parameters)) {
    const PgQuery__FunctionParameter& parameter = *item->function_parameter;
    const Span at = tree.at(parameter.arg_type->location);
    Signature::Parameter result;
    result.name = view(parameter.name);
    switch (parameter.mode) {
      case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT:
        result.is_in = false;
        result.is_out = true;
        break;
      case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT:
        result.is_out = true;
        break;
      case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_VARIADIC:
        source.unsupported(at, "VARIADIC is");
      case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE:
        result.is_in = false;
        result.is_out = true;
        signature.is_set = true;
        break;
      default: break;
    }
    result.type = routine_type(tree, catalog, *parameter.arg_type);
    if (result.type.name == TypeName::Void) {
      source.fail(at, "a parameter cannot have type void");
    }
    // PostgreSQL forgets the sizes of parameters' types.
    result.type = bare(result.type);
    if (parameter.defexpr != nullptr) {
      Analyzer analyzer(tree, catalog, nullptr);
      Expr value = analyzer.of_row(*parameter.defexpr, nullptr);
      if (!assigns(value.type, result.type)) {
        source.fail(value.at, "the default of '" + result.name +
                                  "' is of type " + to_string(value.type) +
                                  ", not " + to_string(result.type));
      }
      if (analyzer.looks_at_tables()) {
        source.unsupported(value.at, "a query as a default is");
      }
      result.default_value = assign(source, std::move(value), result.type);
      had_default = true;
    } else if (had_default && result.is_in) {
      source.fail(at,
                  "input parameters after one with a default value must "
                  "also have defaults");
    }
    signature.parameters.push_back(std::move(result));
  }
}

}  // namespace

namespace {

/// RETURNS table, composite type or record: the columns of a row.
bool row_result(const Catalog& catalog, const std::string& name,
                Signature& signature) {
  if (name == "record") {
    signature.result = {TypeName::Void};
    return true;
  }
  if (const auto table = catalog.table(name)) {
    for (const Column& column : catalog.schema.at(*table).columns) {
      signature.columns.emplace_back(column.name, bare(column.type));
    }
  } else if (const TypeAlias* alias = catalog.type(name);
             alias != nullptr && !alias->fields.empty()) {
    signature.columns = alias->fields;
  } else {
    return false;
  }
  signature.result = {TypeName::Void};
  return true;
}

/// Whether what the function returns first can be told from its text: there is
/// one place, and no loop.
void count_rows(RoutineText& text) {
  int places = 0;
  bool has_loop = false;
  const std::vector<Token>& tokens = text.tokens.list;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool returns_rows =
        tokens[i].is("return") &&
        (tokens[i + 1].is("query") || tokens[i + 1].is("next"));
    if (returns_rows) ++places;
    has_loop |= tokens[i].is("loop");
  }
  text.signature.has_first_row =
      !text.signature.is_set || !text.is_plpgsql || (places <= 1 && !has_loop);
}

}  // namespace

RoutineText read_signature(const Tree& tree, const Catalog& catalog) {
  const PgQuery__CreateFunctionStmt& node =
      *tree.statement().create_function_stmt;
  const Source& source = tree.source();
  RoutineText text;
  Signature& signature = text.signature;
  signature.name = string_of(node.funcname[node.n_funcname - 1]);
  signature.is_function = !node.is_procedure;
  signature.at = tree.whole();
  read_options(tree, node, text);
  read_parameters(tree, catalog, node, signature);
  std::vector<Type> outs;
  for (const auto& parameter : signature.parameters) {
    if (parameter.is_out) outs.push_back(parameter.type);
  }
  if (signature.is_function) {
    const bool has_type = node.return_type != nullptr;
    if (has_type && node.return_type->setof) signature.is_set = true;
    if (outs.size() > 1 || (signature.is_set && !outs.empty())) {
      for (const auto& parameter : signature.parameters) {
        if (!parameter.is_out) continue;
        signature.columns.emplace_back(parameter.name, parameter.type);
      }
      signature.result = {TypeName::Void};
    } else if (has_type) {
      const Span at = tree.at(node.return_type->location);
      const std::string name(
          string_of(node.return_type->names[node.return_type->n_names - 1]));
      if (name == "trigger") {
        signature.is_trigger = true;
        signature.result = {TypeName::Void};
      } else if (name == "event_trigger") {
        source.unsupported(at, "an event trigger is");
      } else if (row_result(catalog, name, signature)) {
        if (signature.columns.empty() && !signature.is_set) {
          source.unsupported(at, "a record of any shape as a result is",
                             "name its columns: RETURNS TABLE (...)");
        }
      } else if (signature.is_set) {
        PgQuery__TypeName one = *node.return_type;
        one.setof = 0;
        signature.columns.emplace_back(signature.name,
                                       bare(routine_type(tree, catalog, one)));
        signature.result = {TypeName::Void};
      } else {
        signature.result = routine_type(tree, catalog, *node.return_type);
        signature.result = bare(signature.result);
      }
    } else if (outs.size() == 1) {
      signature.result = outs[0];
    } else {
      source.fail(signature.at, "this function returns nothing",
                  "add RETURNS type, or make it a procedure");
    }
  }
  text.tokens = scan(source, source.text(text.body), text.body.offset);
  count_rows(text);
  if (!text.tokens.annotations.empty()) {
    const Comment& inside = text.tokens.annotations[0];
    source.fail(source.span(inside.offset, inside.length),
                "an annotation inside a routine means nothing",
                "write it outside, or the comment without @");
  }
  return text;
}

void TableUsers::add(Catalog& catalog, const RoutineText& text) {
  const std::vector<Token>& tokens = text.tokens.list;
  const RoutineId me = text.signature.id;
  bool touches = catalog.routines[me.index].touches_tables;
  bool draws = catalog.routines[me.index].draws_numbers;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool is_distinct_from =
        token.is("from") && i > 0 && tokens[i - 1].is("distinct");
    touches |= (token.is("from") && !is_distinct_from) || token.is("insert") ||
               token.is("update") || token.is("delete") || token.is("execute");
    draws |= token.is("execute");  // what its text has is not looked at
    const bool is_call =
        token.is_name() && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!is_call) continue;
    callers_[token.word].push_back(me);
    const auto callees = catalog.routines_named(token.word);
    for (const Signature* callee : callees) {
      touches |= callee->touches_tables;
      draws |= callee->draws_numbers;
    }
    draws |= callees.empty() && draws_number(token.word);
  }
  if (touches) mark(catalog, me, &Signature::touches_tables);
  if (draws) mark(catalog, me, &Signature::draws_numbers);
}

void TableUsers::mark(Catalog& catalog, RoutineId routine,
                      bool Signature::*flag) {
  catalog.routines[routine.index].*flag = true;
  std::vector<RoutineId> work = {routine};
  while (!work.empty()) {
    const std::string name = catalog.routines[work.back().index].name;
    work.pop_back();
    const auto found = callers_.find(name);
    if (found == callers_.end()) continue;
    for (const RoutineId caller : found->second) {
      Signature& signature = catalog.routines[caller.index];
      if (signature.*flag) continue;
      signature.*flag = true;
      work.push_back(caller);
    }
  }
}

namespace {

/// The last statement of a LANGUAGE sql function: its first row is the value.
void return_value(RoutineBuilder& builder, const Tree& tree,
                  const Signature& signature) {
  const Source& source = builder.source();
  Routine& routine = builder.routine;
  const Span span = tree.whole();
  DbStatement statement = builder.statement(tree, routine.body);
  const auto& columns = RoutineBuilder::columns(statement);
  if (!signature.columns.empty()) {
    if (columns.size() != signature.columns.size()) {
      source.fail(span, "the last statement of the function must return " +
                            std::to_string(signature.columns.size()) +
                            " columns");
    }
    PlExecute execute;
    execute.statement = std::move(statement);
    for (std::size_t i = 0; i < signature.columns.size(); ++i) {
      execute.into.push_back(routine.out_slots[i]);
      execute.into_types.push_back(signature.columns[i].second);
    }
    routine.body.push_back({span, std::move(execute)});
    routine.body.push_back({span, PlReturn{}});
    return;
  }
  if (columns.size() != 1) {
    source.fail(span,
                "the last statement of the function must return one column of "
                "type " +
                    to_string(routine.result));
  }
  Expr value = columns[0].expr;
  if (!assigns(value.type, routine.result)) {
    source.fail(span, "the function returns " + to_string(routine.result) +
                          " but this is of type " + to_string(value.type));
  }
  const auto* select = std::get_if<Select>(&statement.what);
  const bool is_local =
      !builder.catalog().routines[signature.id.index].touches_tables &&
      select != nullptr && (*select)->relations.empty() && !(*select)->where &&
      !(*select)->limit && !(*select)->offset && !(*select)->is_grouped &&
      !has_query(value);
  PlReturn result;
  if (is_local) {
    result.value = builder.assigned(std::move(value), routine.result, "value");
  } else {
    PlExecute execute;
    const std::uint32_t slot = builder.add_slot("", routine.result, span);
    execute.statement = std::move(statement);
    execute.into = {slot};
    execute.into_types = {routine.result};
    routine.body.push_back({span, std::move(execute)});
    Expr e;
    e.op = Op::Variable;
    e.type = routine.result;
    e.index = slot;
    e.at = span;
    result.value = std::move(e);
  }
  routine.body.push_back({span, std::move(result)});
}

/// LANGUAGE sql: statements, one after the other.
void read_sql_body(RoutineBuilder& builder, const RoutineText& text) {
  const Source& source = builder.source();
  const std::vector<Token>& tokens = text.tokens.list;
  builder.has_sql_rules = true;
  builder.hide_found();
  Routine& routine = builder.routine;
  std::size_t from = 0;
  while (from < tokens.size()) {
    std::size_t end = from;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    if (end == from) {
      ++from;
      continue;
    }
    const Span span = source.span(tokens[from].offset,
                                  tokens[end - 1].end() - tokens[from].offset);
    std::size_t next = end;
    while (next < tokens.size() && tokens[next].is(";")) ++next;
    const bool is_last = next >= tokens.size();
    const bool is_return = tokens[from].is("return") && end > from + 1;
    const Span part =
        is_return ? source.span(tokens[from + 1].offset,
                                tokens[end - 1].end() - tokens[from + 1].offset)
                  : span;
    from = next;
    const Tree tree =
        is_return
            ? parse_expression(source, tokens, source.text(part), part.offset)
            : parse_statement(source, tokens, source.text(span), span.offset);
    if (tree.statement().node_case == PG_QUERY__NODE__NODE_CALL_STMT) {
      builder.call(tree, routine.body);
      continue;
    }
    const bool gives_value = is_last && routine.is_function &&
                             (routine.result.name != TypeName::Void ||
                              !text.signature.columns.empty());
    if (!gives_value) {
      builder.execute(tree, std::nullopt, {}, false, false, routine.body);
      continue;
    }
    return_value(builder, tree, text.signature);
  }
  const bool has_value =
      !routine.body.empty() &&
      std::holds_alternative<PlReturn>(routine.body.back().what);
  if (routine.is_function && routine.result.name != TypeName::Void &&
      !has_value) {
    source.fail(text.body,
                "the last statement of the function must be a "
                "SELECT, or have RETURNING");
  }
  if (!routine.is_function && !routine.out_slots.empty()) {
    source.unsupported(text.signature.at,
                       "OUT parameters of a procedure in LANGUAGE sql are",
                       "write it in PL/pgSQL");
  }
}

}  // namespace

namespace {

/// STRICT: nothing is done if an argument is NULL.
void return_null(const Signature& signature, Routine& routine) {
  if (!signature.is_strict) return;
  std::vector<Expr> tests;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    if (!signature.parameters[i].is_in) continue;
    Expr parameter;
    parameter.op = Op::Variable;
    parameter.index = static_cast<std::uint32_t>(1 + i);
    parameter.type = signature.parameters[i].type;
    parameter.at = signature.at;
    Expr test;
    test.op = Op::IsNull;
    test.type = kBoolean;
    test.at = signature.at;
    test.args.push_back(std::move(parameter));
    tests.push_back(std::move(test));
  }
  if (tests.empty()) return;
  PlIf early;
  PlIf::Arm& arm = early.arms.emplace_back();
  if (tests.size() == 1) {
    arm.condition = std::move(tests[0]);
  } else {
    arm.condition.op = Op::Or;
    arm.condition.type = kBoolean;
    arm.condition.at = signature.at;
    arm.condition.args = std::move(tests);
  }
  PlReturn nothing;
  if (signature.result.name != TypeName::Void) {
    nothing.value.emplace();
    nothing.value->type = signature.result;
    nothing.value->at = signature.at;
  }
  arm.body.push_back({signature.at, std::move(nothing)});
  routine.body.insert(routine.body.begin(), {signature.at, std::move(early)});
}

Routine body_of(const Source& source, const Catalog& catalog,
                const RoutineText& text);

}  // namespace

Routine read_trigger(const Source& source, const Catalog& catalog,
                     const RoutineText& text, const TriggerText& trigger) {
  if (!text.is_plpgsql) {
    source.unsupported(text.signature.at, "a trigger's function that is not in "
                                          "PL/pgSQL is");
  }
  RoutineBuilder builder(source, catalog);
  Routine& routine = builder.routine;
  routine.name = trigger.trigger.name;
  routine.is_function = true;
  routine.result = {TypeName::Void, 0, 0};
  routine.volatility = text.signature.volatility;
  routine.at = text.signature.at;
  builder.begin_trigger(trigger);
  PlReader reader(builder, text.tokens.list);
  PlBlock body = reader.read();
  PlRaise none;
  none.sqlstate = "2F005";
  none.message = "control reached end of trigger procedure without RETURN";
  body.push_back({text.signature.at, std::move(none)});
  builder.finish_trigger(trigger, std::move(body));
  return std::move(routine);
}

Routine read_body(const Source& source, const Catalog& catalog,
                  const RoutineText& text) {
  Routine routine = body_of(source, catalog, text);
  return_null(text.signature, routine);
  return routine;
}

namespace {

Routine body_of(const Source& source, const Catalog& catalog,
                const RoutineText& text) {
  const Signature& signature = text.signature;
  RoutineBuilder builder(source, catalog);
  Routine& routine = builder.routine;
  routine.name = signature.name;
  routine.is_function = signature.is_function;
  routine.volatility = signature.volatility;
  routine.result =
      signature.is_function ? signature.result : Type{TypeName::Void, 0, 0};
  routine.at = signature.at;
  builder.add_parameters(signature);
  builder.add_columns(signature);
  if (!text.is_plpgsql) {
    read_sql_body(builder, text);
    return std::move(routine);
  }
  PlReader reader(builder, text.tokens.list);
  routine.body = reader.read();
  if (routine.is_function && !routine.out_slots.empty()) {
    PlReturn result;
    if (signature.columns.empty()) {
      Expr value;
      value.op = Op::Variable;
      value.index = routine.out_slots[0];
      value.type = builder.variable(value.index).type;
      value.at = signature.at;
      result.value = std::move(value);
    }
    routine.body.push_back({signature.at, std::move(result)});
  }
  return std::move(routine);
}

}  // namespace

}  // namespace txscope::sql
