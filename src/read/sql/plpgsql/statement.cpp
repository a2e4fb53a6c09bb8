// Statements that go to the database, and RETURN.

#include "model/sql/value/composite.h"
#include "read/sql/plpgsql/reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

/// Finds INTO [STRICT] targets among the tokens of a statement.
std::optional<Span> PlReader::cut_into(std::size_t from, std::size_t to,
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
    into = targets(j, to);
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

void PlReader::sql_statement(PlBlock& out) {
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
                 "use SELECT ... INTO, or PERFORM to throw them away");
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

void PlReader::perform(PlBlock& out) {
  ++at_;
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_expression(source_, tokens_, source_.text(span), span.offset);
  if (!is_of_others(tree))
    builder_.execute(tree, std::nullopt, {}, false, true, out);
  at_ = end + 1;
}

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

/// A function of a schema that the file does not have, as extensions have them
/// (cron.schedule, net.http_post): it knows nothing of the file's tables.
bool PlReader::is_of_others(const Tree& tree) const {
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

void PlReader::call(PlBlock& out) {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  builder_.call(tree, out);
  at_ = end + 1;
}

void PlReader::return_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  if (peek().is("next") || peek().is("query")) {
    return_rows(start, out);
    return;
  }
  if (builder_.is_trigger) {
    return_from_trigger(start, out);
    return;
  }
  const Routine& routine = builder_.routine;
  const std::size_t end = end_of_statement();
  PlReturn result;
  const bool has_out = routine.is_function && !routine.out_slots.empty();
  if (end > at_) {
    const Span span = text(at_, end);
    if (!routine.is_function) {
      source_.fail(span, "RETURN in a procedure takes no value");
    }
    if (has_out && routine.result.name == TypeName::Void) {
      return_row(start, span, out);
      return;
    }
    if (has_out) {
      source_.fail(span,
                   "RETURN in a function with OUT parameters takes no value");
    }
    Expr value = builder_.expression(tokens_, span, out);
    if (routine.result.name == TypeName::Void) {
      // RETURN f(...) of another void function is all that there can be.
      if (value.type.name != TypeName::Void &&
          !(value.op == Op::Constant && value.value.is_null())) {
        source_.fail(span,
                     "RETURN in a function that returns void takes no "
                     "value");
      }
    } else {
      result.value =
          builder_.assigned(std::move(value), routine.result, "the result");
    }
  } else if (has_out && routine.result.name != TypeName::Void) {
    Expr value;
    value.op = Op::Variable;
    value.index = routine.out_slots[0];
    value.type = builder_.variable(value.index).type;
    value.at = start;
    result.value = std::move(value);
  } else if (routine.is_function && routine.result.name != TypeName::Void) {
    source_.fail(start, "RETURN needs a value",
                 "the function returns " + to_string(routine.result));
  }
  at_ = end;
  expect(";");
  emit(out, start, std::move(result));
}

/// RETURN QUERY and RETURN NEXT: what they do to the database, and the first
/// row for who wants it.
void PlReader::return_rows(Span start, PlBlock& out) {
  const bool is_query = peek().is("query");
  ++at_;
  const std::size_t end = end_of_statement();
  const Routine& routine = builder_.routine;
  if (is_query) {
    const Span span = text(at_, end);
    PlExecute execute;
    execute.statement = query_until(end, out);
    const auto& columns = RoutineBuilder::columns(execute.statement);
    if (!routine.out_slots.empty()) {
      if (columns.size() != routine.out_slots.size()) {
        source_.fail(span,
                     "structure of query does not match function result "
                     "type");
      }
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::uint32_t slot = routine.out_slots[i];
        builder_.check_assignable(columns[i].expr.type,
                                  builder_.variable(slot).type, "the result",
                                  span);
        execute.into.push_back(slot);
        execute.into_types.push_back(builder_.variable(slot).type);
      }
    }
    emit(out, source_.span(start, span), std::move(execute));
  } else if (end > at_) {
    const Span span = text(at_, end);
    if (routine.out_slots.size() == 1) {
      builder_.assign(routine.out_slots[0],
                      builder_.expression(tokens_, span, out), start, out);
    } else {
      copy_row(span, start, out);
    }
  }
  at_ = end + 1;
}

/// The fields of a record, or of any row, into the slots that the function
/// returns.
void PlReader::copy_row(Span span, Span start, PlBlock& out) {
  const std::string name(source_.text(span));
  const auto fields = builder_.record(name, span);
  const Routine& routine = builder_.routine;
  if (fields.empty()) {
    Expr row = builder_.expression(tokens_, span, out);
    if (row.op == Op::Constant && row.value.is_null()) {
      for (const std::uint32_t slot : routine.out_slots)
        builder_.assign(slot, constant({}, builder_.variable(slot).type, span),
                        start, out);
      return;
    }
    const bool fits =
        row.type.name == TypeName::Composite &&
        composite(row.type).fields.size() == routine.out_slots.size();
    if (!fits) {
      source_.fail(span, "the function returns a row of " +
                             std::to_string(routine.out_slots.size()) +
                             " columns, and this is of type " +
                             to_string(row.type));
    }
    // PL/pgSQL converts between named types, and nothing of ROW(...).
    for (std::size_t i = 0; i < routine.out_slots.size(); ++i) {
      const Type given = bare(composite(row.type).fields[i].second);
      const Type wanted = bare(builder_.variable(routine.out_slots[i]).type);
      if (!composite(row.type).is_record() || given == wanted) continue;
      source_.fail(span,
                   "returned record type does not match expected record type: "
                   "column " +
                       std::to_string(i + 1) + " is of type " +
                       to_string(given) + ", not " + to_string(wanted),
                   "add a cast");
    }
    builder_.spread(std::move(row), routine.out_slots, start, out);
    return;
  }
  if (fields.size() != routine.out_slots.size()) {
    source_.unsupported(span, "returning this as a row is",
                        "return a record with the columns of the result");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Expr e;
    e.op = Op::Variable;
    e.type = fields[i].type;
    e.index = fields[i].slot;
    e.at = span;
    builder_.assign(routine.out_slots[i], std::move(e), start, out);
  }
}

/// RETURN record;
void PlReader::return_row(Span start, Span span, PlBlock& out) {
  copy_row(span, start, out);
  at_ = end_of_statement() + 1;
  emit(out, start, PlReturn{});
}

void PlReader::get_diagnostics(PlBlock& out) {
  const Span start = here();
  ++at_;
  (void)accept("current");
  if (accept("stacked")) {
    expect("diagnostics");
    return stacked_diagnostics(start, out);
  }
  expect("diagnostics");
  do {
    Span where;
    const Binding target = assignable(at_, where);
    if (target.kind == Binding::Kind::Scalar)
      builder_.settle_type(target.slot, {TypeName::BigInt, 0, 0});
    if (target.kind != Binding::Kind::Scalar ||
        !is_number(builder_.variable(target.slot).type.name)) {
      source_.fail(where, "ROW_COUNT needs a variable of an integer type");
    }
    if (!accept(":=") && !accept("=")) expect("=");
    if (!peek().is("row_count")) {
      source_.unsupported(here(), "this item of GET DIAGNOSTICS is",
                          "ROW_COUNT is");
    }
    ++at_;
    PlRowCount count;
    count.slot = target.slot;
    emit(out, start, count);
  } while (accept(","));
  expect(";");
}

}  // namespace txscope::sql
