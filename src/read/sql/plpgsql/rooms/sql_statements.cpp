#include "read/sql/plpgsql/rooms/sql_statements.h"

#include <algorithm>

#include "read/sql/plpgsql/rooms/rooms.h"

namespace txscope::sql::plpgsql {
namespace {

/// The function of PERFORM f(...).
const PgQuery__FuncCall* called_alone(const Node& statement) {
  if (statement.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return nullptr;
  const PgQuery__SelectStmt& select = *statement.select_stmt;
  if (select.n_target_list != 1 || select.n_from_clause != 0) return nullptr;
  const Node* value = select.target_list[0]->res_target->val;
  return value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? value->func_call
                                                            : nullptr;
}

}  // namespace

/// Finds INTO [STRICT] targets among the tokens of a statement.
std::optional<Span> SqlStatements::cut_into(std::size_t from, std::size_t to,
                                            Targets& into, bool& is_strict) {
  int depth = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (at(i).is("(")) ++depth;
    if (at(i).is(")")) --depth;
    if (depth != 0 || !at(i).is("into")) continue;
    if (i > from && at(i - 1).is_before_table()) continue;
    std::size_t j = i + 1;
    if (at(j).is("strict")) {
      is_strict = true;
      ++j;
    }
    into = rooms_.assignments.targets(j, to);
    for (std::size_t k = j; k < to; ++k) {
      if (at(k).is("into") && !at(k - 1).is_before_table()) {
        source_.fail(source_.span(at(k).offset, at(k).length),
                     "INTO is given twice");
      }
    }
    return text(i, j);
  }
  return std::nullopt;
}

void SqlStatements::sql_statement(PlBlock& out) {
  const std::size_t from = at_;
  const std::size_t end = end_of_statement();
  const Span span = text(from, end);
  Targets into;
  bool is_strict = false;
  const std::optional<Span> cut = cut_into(from, end, into, is_strict);
  std::string copy(source_.text(span));
  if (cut) {
    std::fill_n(copy.begin() + (cut->offset - span.offset), cut->length, ' ');
  }
  const Tree tree = parse_statement(source_, tokens_, copy, span.offset);
  if (tree.statement().node_case == PG_QUERY__NODE__NODE_SELECT_STMT && !cut &&
      !builder_.is_script) {
    source_.fail(here(), "this SELECT has no destination for its rows",
                 "use SELECT ... INTO, or PERFORM to discard them");
  }
  if (!cut && !builder_.is_script &&
      tree.statement().node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    const Node& node = tree.statement();
    const bool returns = (node.node_case == PG_QUERY__NODE__NODE_INSERT_STMT &&
                          node.insert_stmt->n_returning_list > 0) ||
                         (node.node_case == PG_QUERY__NODE__NODE_UPDATE_STMT &&
                          node.update_stmt->n_returning_list > 0) ||
                         (node.node_case == PG_QUERY__NODE__NODE_DELETE_STMT &&
                          node.delete_stmt->n_returning_list > 0);
    if (returns) {
      source_.fail(here(), "RETURNING has no destination for its rows",
                   "add INTO");
    }
  }
  builder_.execute(tree, cut, into, is_strict, false, out);
  at_ = end + 1;
}

void SqlStatements::perform(PlBlock& out) {
  ++at_;
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_expression(source_, tokens_, source_.text(span), span.offset);
  if (!is_of_others(tree))
    builder_.execute(tree, std::nullopt, {}, false, true, out);
  at_ = end + 1;
}

/// A function of a schema that the file does not have, as extensions have them
/// (cron.schedule, net.http_post): it knows nothing of the file's tables.
bool SqlStatements::is_of_others(const Tree& tree) const {
  const PgQuery__FuncCall* call = called_alone(tree.statement());
  if (call == nullptr) return false;
  const QualifiedName name = qualified(list(call->n_funcname, call->funcname));
  const Catalog& catalog = builder_.catalog();
  const std::string schema(name.schema);
  if (schema.empty() || schema == "pg_catalog" ||
      catalog.schemas.contains(schema) || !catalog.all_named(name.name).empty())
    return false;
  catalog.assumed.insert(schema + "." + std::string(name.name) +
                         "(), which this file does not create, is taken to "
                         "change nothing here");
  return true;
}

void SqlStatements::call(PlBlock& out) {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  builder_.call(tree, out);
  at_ = end + 1;
}

}  // namespace txscope::sql::plpgsql
