// Statements of a routine that are calls, or have some in them.

#include <algorithm>

#include "base/suggest.h"
#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

bool RoutineBuilder::call_in_from(
    const Tree& tree, std::optional<Span> into_span,
    const std::vector<std::pair<Binding, Span>>& targets, PlBlock& block) {
  const Node& node = tree.statement();
  if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return false;
  const PgQuery__SelectStmt& select = *node.select_stmt;
  const bool is_plain =
      select.n_from_clause == 1 && select.where_clause == nullptr &&
      select.from_clause[0]->node_case == PG_QUERY__NODE__NODE_RANGE_FUNCTION &&
      select.n_group_clause == 0 && select.with_clause == nullptr &&
      select.op == PG_QUERY__SET_OPERATION__SETOP_NONE;
  if (!is_plain) return false;
  const PgQuery__RangeFunction& range = *select.from_clause[0]->range_function;
  const Node* item = range.functions[0]->list->items[0];
  if (item->node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return false;
  const PgQuery__FuncCall& call_node = *item->func_call;
  Analyzer analyzer(tree, catalog_, this, this);
  const Signature* callee = analyzer.meant(call_node);
  if (callee == nullptr || !callee->is_function) return false;
  const Span at = tree.whole();
  if (!targets.empty() && !callee->has_first_row) {
    source_.unsupported(at, "a row of '" + callee->name +
                                "', which returns several in a loop, is");
  }
  lifting_into_ = &block;
  PlCall call;
  call.routine = callee->id;
  call.arguments = analyzer.arguments(call_node, *callee);
  call.sets_found = true;
  if (analyzer.looks_at_tables()) {
    source_.unsupported(at, "a query among the arguments here is",
                        "assign its value to a variable first");
  }
  std::vector<Target> columns;
  const auto add = [&](const std::string& name, Type type) {
    const std::uint32_t slot = add_slot("", type, at);
    call.into.push_back(slot);
    columns.push_back({name, slot_value(slot, type, at)});
  };
  for (const auto& [name, type] : callee->columns) add(name, type);
  if (columns.empty() && callee->result.name != TypeName::Void) {
    add(callee->name, callee->result);
  }
  if (targets.empty()) call.into.clear();
  block.push_back(make(at, std::move(call)));
  if (targets.empty()) return true;
  std::vector<Target> shown;
  for (const Node* target : list(select.n_target_list, select.target_list)) {
    const Node& value = *target->res_target->val;
    const bool is_ref = value.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
    if (!is_ref) {
      source_.unsupported(at, "an expression over the row of a function is",
                          "use SELECT * INTO a record");
    }
    const PgQuery__ColumnRef& ref = *value.column_ref;
    const Node* last = ref.fields[ref.n_fields - 1];
    if (last->node_case == PG_QUERY__NODE__NODE_A_STAR) {
      shown.insert(shown.end(), columns.begin(), columns.end());
      continue;
    }
    const auto found = std::find_if(
        columns.begin(), columns.end(),
        [&](const Target& c) { return c.name == string_of(last); });
    if (found == columns.end()) {
      source_.fail(at, "'" + callee->name + "' has no column '" +
                           std::string(string_of(last)) + "'");
    }
    shown.push_back(*found);
  }
  const Into where = into(targets, shown, *into_span);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    assign(where.slots[i], std::move(shown[i].expr), at, block);
  }
  return true;
}

bool RoutineBuilder::is_lone_call(const DbStatement& statement,
                                  const PlBlock& before,
                                  std::size_t first) const {
  const bool has_row = before.size() == first + 2 &&
                       std::holds_alternative<PlAssign>(before.back().what);
  if (before.size() != first + 1 && !has_row) return false;
  const auto* select = std::get_if<Select>(&statement.what);
  if (select == nullptr) return false;
  const Query& query = **select;
  if (query.targets.size() != 1 || query.is_grouped || query.limit ||
      query.offset || query.is_distinct) {
    return false;
  }
  const Expr& target = query.targets[0].expr;
  if (target.op != Op::Variable) return false;
  const auto* call = std::get_if<PlCall>(&before[first].what);
  if (has_row)
    return call != nullptr &&
           std::get<PlAssign>(before.back().what).slot == target.index;
  return call != nullptr &&
         (call->into.empty() || call->into[0] == target.index);
}

bool RoutineBuilder::is_lone_lock(const DbStatement& statement,
                                  const PlBlock& before,
                                  std::size_t first) const {
  if (before.size() != first + 1) return false;
  const auto* lock = std::get_if<PlExecute>(&before[first].what);
  const auto* select = std::get_if<Select>(&statement.what);
  if (lock == nullptr || lock->statement.locks == nullptr || select == nullptr)
    return false;
  const Query& query = **select;
  return query.relations.empty() && !query.where && query.targets.size() == 1 &&
         !query.limit && !query.offset &&
         query.targets[0].expr.op == Op::Variable &&
         query.targets[0].expr.index == lock->into[0];
}

void RoutineBuilder::execute(
    const Tree& tree, std::optional<Span> into_span,
    const std::vector<std::pair<Binding, Span>>& targets, bool is_strict,
    bool is_expression, PlBlock& block) {
  if (tree.statement().node_case == PG_QUERY__NODE__NODE_LOCK_STMT)
    return lock_table(tree, block);
  if (call_in_from(tree, into_span, targets, block)) return;
  const std::size_t first = block.size();
  DbStatement statement = this->statement(tree, block);
  statement.into = into_span;
  statement.is_expression = is_expression;
  const Span at = tree.whole();
  Into where;
  if (!targets.empty() && columns(statement).empty()) {
    source_.fail(*into_span, "INTO needs a statement that returns rows",
                 "add RETURNING");
  }
  // A row is one value here: PL/pgSQL does not spread it.
  if (!targets.empty()) where = into(targets, columns(statement), *into_span);
  if (is_lone_lock(statement, block, first)) {
    auto& lock = std::get<PlExecute>(block[first].what);
    lock.is_expression = false;
    lock.into = std::move(where.slots);
    lock.into_types = std::move(where.types);
    return;
  }
  if (is_lone_call(statement, block, first)) {
    auto& call = std::get<PlCall>(block[first].what);
    call.sets_found = true;
    block[first].at = at;
    if (where.slots.empty()) {
      call.into.clear();
      if (block.size() > first + 1) block.pop_back();  // nobody wants its row
    } else if (block.size() > first + 1) {
      assign(where.slots[0], columns(statement)[0].expr, at, block);
    } else if (!call.into.empty()) {
      const Type type = routine.variables[call.into[0]].type;
      assign(where.slots[0], slot_value(call.into[0], type, at), at, block);
    }
    return;
  }
  PlExecute execute;
  execute.statement = std::move(statement);
  execute.into = std::move(where.slots);
  execute.into_types = std::move(where.types);
  execute.is_strict = is_strict;
  block.push_back(make(at, std::move(execute)));
}

void RoutineBuilder::call(const Tree& tree, PlBlock& block) {
  const PgQuery__FuncCall& node = *tree.statement().call_stmt->funccall;
  const Span at = tree.at(node.location);
  const std::string name(string_of(node.funcname[node.n_funcname - 1]));
  Analyzer analyzer(tree, catalog_, this, this);
  const Signature* callee = analyzer.meant(node);
  if (callee == nullptr) {
    std::vector<std::string> names;
    for (const Signature& other : catalog_.routines) {
      if (!other.is_function) names.push_back(other.name);
    }
    source_.fail(at, "unknown procedure '" + name + "'",
                 suggestion(name, names));
  }
  if (callee->is_function) {
    source_.fail(at, "'" + name + "' is a function",
                 "use PERFORM or SELECT " + name + "(...)");
  }
  refuse_in_stable(at, "CALL");
  lifting_into_ = &block;
  PlCall call;
  call.routine = callee->id;
  std::vector<Expr> arguments = analyzer.arguments(node, *callee);
  if (analyzer.looks_at_tables()) {
    source_.unsupported(at, "a query among the arguments of CALL is",
                        "assign its value to a variable first");
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Signature::Parameter& parameter = callee->parameters[i];
    if (!parameter.is_out) continue;
    const Expr& e = arguments[i];
    const bool is_variable = e.op == Op::Variable && i < node.n_args;
    if (!is_variable || e.type.name != parameter.type.name) {
      source_.fail(e.at,
                   "the argument of an OUT parameter must be a variable of "
                   "type " +
                       to_string(parameter.type));
    }
    const Type type = routine.variables[e.index].type;
    const Span at_argument = e.at;
    if (type == parameter.type) {
      call.into.push_back(e.index);
    } else {
      const std::uint32_t slot = add_slot("", parameter.type, at);
      call.into.push_back(slot);
      copies.emplace_back(e.index, slot);
    }
    if (!parameter.is_in) {
      arguments[i] = constant({}, parameter.type, at_argument);
    }
  }
  call.arguments = std::move(arguments);
  block.push_back(make(tree.whole(), std::move(call)));
  for (const auto& [to, from] : copies) {
    assign(to, slot_value(from, routine.variables[from].type, at), at, block);
  }
}

}  // namespace txscope::sql
