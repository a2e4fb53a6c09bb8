#include "read/sql/mysql/signature.h"

#include <algorithm>
#include <utility>

#include "read/sql/mysql/program.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

void read_mysql_parameters(const Tree& tree, const Catalog& catalog,
                           const PgQuery__CreateFunctionStmt& node,
                           Signature& signature) {
  for (const Node* item : list(node.n_parameters, node.parameters)) {
    const PgQuery__FunctionParameter& parameter = *item->function_parameter;
    Signature::Parameter made;
    made.name = view(parameter.name);
    switch (parameter.mode) {
      case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT:
        made.is_in = false;
        made.is_out = true;
        break;
      case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT:
        made.is_out = true;
        break;
      default: break;
    }
    made.type = read_type(tree, catalog, *parameter.arg_type);
    for (const Signature::Parameter& other : signature.parameters)
      if (other.name == made.name)
        tree.source().fail(tree.at(parameter.arg_type->location),
                           "parameter '" + made.name + "' is given twice");
    signature.parameters.push_back(std::move(made));
  }
}

/// It only reads: it may be evaluated inside of a statement, and sees what that
/// sees.
bool only_reads(const std::vector<Token>& tokens) {
  return std::none_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.is("insert") || token.is("update") || token.is("delete") ||
           token.is("call") || token.is("share");
  });
}

}  // namespace

RoutineText read_mysql_signature(const Tree& tree, const Catalog& catalog) {
  const Source& source = tree.source();
  const Node& root = tree.statement();
  RoutineText text;
  text.is_mysql = true;
  text.body = *tree.mysql()->body;
  text.tokens = scan(source, source.text(text.body), text.body.offset);
  Signature& signature = text.signature;
  signature.at = tree.whole();
  signature.result = {TypeName::Void};
  if (root.node_case == PG_QUERY__NODE__NODE_CREATE_TRIG_STMT) {
    signature.is_function = signature.is_trigger = true;
    signature.name = view(root.create_trig_stmt->trigname);
    return text;
  }
  const PgQuery__CreateFunctionStmt& node = *root.create_function_stmt;
  signature.name = string_of(node.funcname[node.n_funcname - 1]);
  signature.is_function = !node.is_procedure;
  read_mysql_parameters(tree, catalog, node, signature);
  if (signature.is_function) {
    signature.result = read_type(tree, catalog, *node.return_type);
    if (only_reads(text.tokens.list)) signature.volatility = Volatility::Stable;
  }
  return text;
}

namespace {

/// Of the last statement, or of what it is made of.
void trim_last(PlBlock& body) {
  if (body.empty()) return;
  auto& last = body.back().what;
  if (auto* end = std::get_if<PlEnd>(&last)) {
    if (end->is_commit) body.pop_back();
  } else if (auto* labelled = std::get_if<PlLabelled>(&last)) {
    trim_last(labelled->body);
  } else if (auto* guarded = std::get_if<PlTry>(&last)) {
    trim_last(guarded->body);
  } else if (auto* choice = std::get_if<PlIf>(&last)) {
    for (PlIf::Arm& arm : choice->arms) trim_last(arm.body);
    trim_last(choice->otherwise);
  }
}

}  // namespace

void trim_commit(PlBlock& body) { trim_last(body); }

MysqlBody read_mysql_body(const Source& source, const Catalog& catalog,
                          const RoutineText& text) {
  const Signature& signature = text.signature;
  RoutineBuilder builder(source, catalog);
  Routine& routine = builder.routine;
  routine.name = signature.name;
  routine.is_function = signature.is_function;
  routine.volatility = signature.volatility;
  routine.result = signature.result;
  routine.at = signature.at;
  builder.add_parameters(signature);
  builder.hide_found();
  MysqlProgram program(builder, text.tokens.list,
                       signature.is_function ? MysqlTransaction::Nested
                       : text.is_twin        ? MysqlTransaction::Open
                                             : MysqlTransaction::None);
  routine.body = program.read();
  if (signature.is_function) {
    PlRaise none;
    none.sqlstate = "2F005";
    none.message = "FUNCTION " + signature.name + " ended without RETURN";
    routine.body.push_back({signature.at, std::move(none)});
  } else if (!text.is_twin) {
    trim_commit(routine.body);
  }
  return {std::move(routine), program.transaction()};
}

Routine read_mysql_trigger(const Source& source, const Catalog& catalog,
                           const RoutineText& text,
                           const TriggerText& trigger) {
  RoutineBuilder builder(source, catalog);
  Routine& routine = builder.routine;
  const Span at = text.signature.at;
  routine.name = trigger.trigger.name;
  routine.is_function = true;
  routine.result = {TypeName::Void};
  routine.at = at;
  builder.begin_trigger(trigger);
  builder.hide_found();
  MysqlProgram program(builder, text.tokens.list, MysqlTransaction::Nested);
  PlBlock body = program.read();
  // The row goes on as it is now.
  PlAssign passes;
  passes.slot = TriggerSlots().result;
  passes.value =
      constant(Value::integer(trigger.trigger.on_delete ? 2 : 1), kInteger, at);
  body.push_back({at, std::move(passes)});
  body.push_back({at, PlReturn{}});
  builder.finish_trigger(trigger, std::move(body));
  return std::move(routine);
}

}  // namespace txscope::sql
