#include "read/sql/plpgsql/routine_reader.h"

#include <algorithm>
#include <array>

#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/mysql/signature.h"
#include "read/sql/plpgsql/reader.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

namespace {

bool does_more_than_read(const Token& token) {
  constexpr std::array<std::string_view, 10> kWords = {
      "insert", "update", "delete", "merge",      "truncate",
      "share",  "lock",   "call",   "set_config", "execute"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return token.is(word); }) ||
         (token.is_name() && token.word.find("lock") != std::string::npos) ||
         (token.is_name() && token.word == "pg_notify");
}

}  // namespace

void TableUsers::add(Catalog& catalog, const RoutineText& text) {
  const std::vector<Token>& tokens = text.tokens.list;
  const RoutineId me = text.signature.id;
  bool touches = catalog.routines[me.index].touches_tables;
  bool draws = catalog.routines[me.index].draws_numbers;
  bool does_more = text.is_mysql || text.signature.is_trigger ||
                   catalog.routines[me.index].does_more;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool is_distinct_from =
        token.is("from") && i > 0 && tokens[i - 1].is("distinct");
    touches |= (token.is("from") && !is_distinct_from) || token.is("insert") ||
               token.is("update") || token.is("delete") || token.is("merge") ||
               token.is("execute") || (text.is_mysql && token.is("replace"));
    draws |= token.is("execute");  // what its text has is not looked at
    does_more |= does_more_than_read(token);
    const bool is_call =
        token.is_name() && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!is_call) continue;
    callers_[token.word].push_back(me);
    const auto callees = catalog.all_named(token.word);
    for (const Signature* callee : callees) {
      touches |= callee->touches_tables;
      draws |= callee->draws_numbers;
      does_more |= callee->does_more;
    }
    draws |= callees.empty() && draws_number(token.word);
  }
  touches |= text.is_mysql && text.signature.is_trigger;
  if (touches) mark(catalog, me, &Signature::touches_tables);
  if (draws) mark(catalog, me, &Signature::draws_numbers);
  if (does_more || draws) mark(catalog, me, &Signature::does_more);
}

std::shared_ptr<const Tree> query_of(const Source& source,
                                     const RoutineText& text) {
  const std::vector<Token>& all = text.tokens.list;
  std::size_t from = 0;
  std::size_t to = all.size();
  const auto ends_with = [&](std::string_view word) {
    return to > from && all[to - 1].is(word);
  };
  while (ends_with(";")) --to;
  if (text.is_plpgsql) {
    // BEGIN RETURN QUERY ...; [RETURN;] END
    const bool is_one = to > 5 && all[0].is("begin") && all[1].is("return") &&
                        all[2].is("query") && all[to - 1].is("end");
    if (!is_one) return nullptr;
    from = 3;
    --to;
    while (ends_with(";")) --to;
    if (ends_with("return") && all[to - 2].is(";")) --to;
    while (ends_with(";")) --to;
  }
  const bool is_query =
      to > from && (all[from].is("select") || all[from].is("with") ||
                    all[from].is("values"));
  if (!is_query || text.signature.is_strict) return nullptr;
  for (std::size_t i = from; i < to; ++i) {
    const bool writes = all[i].is("insert") || all[i].is("update") ||
                        all[i].is("delete") || all[i].is("merge") ||
                        all[i].is("share");
    if (all[i].is(";") || writes) return nullptr;
  }
  struct Parsed {
    std::vector<Token> tokens;
    std::optional<Tree> tree;
  };
  auto parsed = std::make_shared<Parsed>();
  parsed->tokens = all;
  const Span span =
      source.span(all[from].offset, all[to - 1].end() - all[from].offset);
  try {
    parsed->tree.emplace(parse_statement(source, parsed->tokens,
                                         source.text(span), span.offset));
  } catch (const Failure&) {
    return nullptr;
  }
  return {parsed, &*parsed->tree};
}

void TableUsers::mark(Catalog& catalog, RoutineId routine,
                      bool Signature::*flag) {
  catalog.routines[routine.index].*flag = true;
  std::vector<RoutineId> work = {routine};
  while (!work.empty()) {
    const std::string name =
        catalog.routine_names.plain(catalog.routines[work.back().index].name);
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
    const bool is_row = columns.size() == 1 && signature.returns_row() &&
                        columns[0].expr.type.name == TypeName::Composite &&
                        assigns(columns[0].expr.type, signature.row);
    if (is_row) {  // the row as one value
      PlExecute execute;
      const std::uint32_t slot = builder.add_slot("", signature.row, span);
      execute.statement = std::move(statement);
      execute.into = {slot};
      execute.into_types = {signature.row};
      routine.body.push_back({span, std::move(execute)});
      builder.spread(slot_value(slot, signature.row, span), routine.out_slots,
                     span, routine.body);
      routine.body.push_back({span, PlReturn{}});
      return;
    }
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
  if (text.is_mysql) return read_mysql_trigger(source, catalog, text, trigger);
  if (!text.is_plpgsql) {
    source.unsupported(text.signature.at,
                       "a trigger's function that is not in "
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
  PlBlock body = read_body(builder, text.tokens.list);
  PlRaise none;
  none.sqlstate = "2F005";
  none.message = "control reached end of trigger procedure without RETURN";
  body.push_back({text.signature.at, std::move(none)});
  builder.finish_trigger(trigger, std::move(body));
  return std::move(routine);
}

Routine read_body(const Source& source, const Catalog& catalog,
                  const RoutineText& text) {
  if (text.is_mysql) return read_mysql_body(source, catalog, text).routine;
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
  routine.returns_row = signature.returns_row();
  builder.open_parameters(routine.body);
  if (!text.is_plpgsql) {
    read_sql_body(builder, text);
    return std::move(routine);
  }
  for (PlStatement& statement : read_body(builder, text.tokens.list))
    routine.body.push_back(std::move(statement));
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
