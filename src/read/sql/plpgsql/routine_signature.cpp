// CREATE FUNCTION and CREATE PROCEDURE up to the body.

#include <algorithm>

#include "model/sql/value/composite.h"
#include "read/sql/plpgsql/routine_reader.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/quotes.h"

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
  } else if (const auto body = unquoted(text); !body) {
    source.unsupported(whole, "a body in this kind of quotes is",
                       "write it between $$ and $$");
  } else if (*body != text.substr(1, text.size() - 2)) {
    // Without its quotes it is another text, which the file does not have.
    return source.span(source.append(*body, whole), body->size());
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

void read_options(const Tree& tree, const Catalog& catalog,
                  const PgQuery__CreateFunctionStmt& node, RoutineText& text) {
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
    } else if (name == "set" && option.arg != nullptr &&
               option.arg->node_case ==
                   PG_QUERY__NODE__NODE_VARIABLE_SET_STMT) {
      text.path = search_path_of(*option.arg->variable_set_stmt);
    } else if (name == "window" || name == "transform" || name == "support") {
      source.unsupported(at, "this option is");
    }
    // security, leakproof, parallel, cost, rows: nothing that happens changes.
  }
  if (node.sql_body != nullptr) {
    text.body = unquoted_body(tree);
    has_body = true;
    text.path = catalog.path;  // it was read when it was created
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
        result.is_variadic = true;
        break;
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

void settle_row(const Catalog& catalog, Signature& signature) {
  const auto table = catalog.table(signature.row_of);
  if (signature.row_of.empty() || !table) return;
  signature.columns.clear();
  for (const Column& column : catalog.schema.at(*table).columns)
    signature.columns.emplace_back(column.name, bare(column.type));
  signature.row = row_type_of(catalog.schema.at(*table));
}

namespace {

/// RETURNS table, composite type or record: the columns of a row.
bool row_result(const Catalog& catalog, const QualifiedName& name,
                Signature& signature) {
  if (name.name == "record") {
    signature.result = {TypeName::Void};
    return true;
  }
  const std::string key = catalog.relation(name);
  if (catalog.table(key)) {
    signature.row_of = key;
    settle_row(catalog, signature);
  } else if (const TypeAlias* alias = catalog.type(key);
             alias != nullptr && !alias->fields.empty()) {
    signature.columns = alias->fields;
    signature.row = alias->type;
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
  read_options(tree, catalog, node, text);
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
      } else if (row_result(catalog,
                            qualified(list(node.return_type->n_names,
                                           node.return_type->names)),
                            signature)) {
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
  if (signature.returns_row() && signature.row.name == TypeName::Unknown)
    signature.row = composite_type({"record", signature.columns});
  text.tokens = scan(source, source.text(text.body), text.body.offset);
  count_rows(text);
  if (!text.tokens.annotations.empty()) {
    const Comment& inside = text.tokens.annotations[0];
    source.fail(source.span(inside.offset, inside.length),
                "an annotation inside a routine has no effect",
                "write it outside, or the comment without @");
  }
  return text;
}

}  // namespace txscope::sql
