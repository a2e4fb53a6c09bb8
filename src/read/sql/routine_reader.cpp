#include "read/sql/routine_reader.h"

#include <algorithm>

#include "read/sql/plpgsql.h"

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
      if (option.arg != nullptr &&
          option.arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN &&
          option.arg->boolean->boolval) {
        source.unsupported(at, "STRICT (RETURNS NULL ON NULL INPUT) is",
                           "test the parameters for NULL in the body");
      }
    } else if (name == "window" || name == "transform" || name == "support") {
      source.unsupported(at, "this option is");
    }
    // security, leakproof, parallel, cost, rows: nothing that happens changes.
  }
  if (node.sql_body != nullptr) {
    source.unsupported(text.signature.at,
                       "a body outside of quotes (RETURN, BEGIN ATOMIC) is",
                       "write LANGUAGE sql AS $$ ... $$");
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
        source.unsupported(at, "RETURNS TABLE is",
                           "functions return one value");
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
    if (outs.size() > 1) {
      source.unsupported(signature.at,
                         "a function with several OUT parameters is",
                         "make it a procedure");
    }
    if (node.return_type != nullptr) {
      const Span at = tree.at(node.return_type->location);
      if (node.return_type->setof) {
        source.unsupported(at, "sets as results (SETOF) are",
                           "functions return one value");
      }
      const std::string_view name =
          string_of(node.return_type->names[node.return_type->n_names - 1]);
      if (name == "trigger") {
        source.unsupported(at, "triggers are",
                           "write what they do in the transactions");
      }
      signature.result = routine_type(tree, catalog, *node.return_type);
      signature.result = bare(signature.result);
    } else if (outs.size() == 1) {
      signature.result = outs[0];
    } else {
      source.fail(signature.at, "this function returns nothing",
                  "add RETURNS type, or make it a procedure");
    }
  }
  text.tokens = scan(source, source.text(text.body), text.body.offset);
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
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool is_distinct_from =
        token.is("from") && i > 0 && tokens[i - 1].is("distinct");
    touches |= (token.is("from") && !is_distinct_from) || token.is("insert") ||
               token.is("update") || token.is("delete");
    const bool is_call =
        token.is_name() && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!is_call) continue;
    callers_[token.word].push_back(me);
    const Signature* callee = catalog.routine(token.word);
    touches |= callee != nullptr && callee->touches_tables;
  }
  if (!touches) return;
  catalog.routines[me.index].touches_tables = true;
  std::vector<RoutineId> work = {me};
  while (!work.empty()) {
    const std::string name = catalog.routines[work.back().index].name;
    work.pop_back();
    const auto found = callers_.find(name);
    if (found == callers_.end()) continue;
    for (const RoutineId caller : found->second) {
      Signature& signature = catalog.routines[caller.index];
      if (signature.touches_tables) continue;
      signature.touches_tables = true;
      work.push_back(caller);
    }
    found->second.clear();  // all of them are marked
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
      !builder.catalog().routine(signature.name)->touches_tables &&
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
    from = next;
    const Tree tree =
        parse_statement(source, tokens, source.text(span), span.offset);
    if (tree.statement().node_case == PG_QUERY__NODE__NODE_CALL_STMT) {
      builder.call(tree, routine.body);
      continue;
    }
    const bool gives_value =
        is_last && routine.is_function && routine.result.name != TypeName::Void;
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

Routine read_body(const Source& source, const Catalog& catalog,
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
  if (!text.is_plpgsql) {
    read_sql_body(builder, text);
    return std::move(routine);
  }
  PlReader reader(builder, text.tokens.list);
  routine.body = reader.read();
  if (routine.is_function && !routine.out_slots.empty()) {
    Expr value;
    value.op = Op::Variable;
    value.index = routine.out_slots[0];
    value.type = builder.variable(value.index).type;
    value.at = signature.at;
    PlReturn result;
    result.value = std::move(value);
    routine.body.push_back({signature.at, std::move(result)});
  }
  return std::move(routine);
}

}  // namespace txscope::sql
