#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/plpgsql.h"

namespace txscope::sql {

Binding PlReader::assignable(std::size_t& i, Span& where) {
  const std::size_t first = i;
  std::vector<std::string> parts;
  if (!at(i).is_name()) {
    source_.fail(
        i < tokens_.size() ? source_.span(at(i).offset, at(i).length) : here(),
        "expected a variable");
  }
  parts.push_back(at(i++).word);
  while (at(i).is(".") && at(i + 1).is_name()) {
    parts.push_back(at(i + 1).word);
    i += 2;
  }
  where = text(first, i);
  Binding result;
  const Binding* whole = builder_.binding(parts);
  if (whole != nullptr) {
    result = *whole;
  } else {
    const auto field = builder_.find(parts, where, false);
    if (!field && builder_.is_script && parts.size() == 1) {
      return builder_.declare_by_use(parts[0], where);
    }
    if (!field) {
      source_.fail(
          where, "unknown variable '" + std::string(source_.text(where)) + "'",
          suggestion(parts[0], builder_.candidates()));
    }
    result.slot = field->slot;
  }
  if (result.is_constant) {
    source_.fail(where, "'" + std::string(source_.text(where)) +
                            "' is a CONSTANT and cannot be assigned");
  }
  if (at(i).is("[")) source_.unsupported(where, "arrays are");
  return result;
}

PlReader::Targets PlReader::targets(std::size_t& i, std::size_t end) {
  Targets result;
  do {
    if (!result.empty()) ++i;  // the comma
    Span where;
    Binding binding = assignable(i, where);
    if (binding.kind == Binding::Kind::Cursor) {
      source_.fail(where, "a cursor cannot be assigned");
    }
    result.emplace_back(binding, where);
  } while (i < end && at(i).is(","));
  return result;
}

/// array[position] := value
void PlReader::item_assignment(PlBlock& out) {
  const Span start = here();
  const std::array<std::string, 1> plain = {peek().word};
  const Binding* found = builder_.binding(plain);
  if (found == nullptr || found->kind != Binding::Kind::Scalar ||
      builder_.variable(found->slot).type.name != TypeName::Array) {
    source_.fail(start, "'" + plain[0] + "' is no array");
  }
  if (found->is_constant) {
    source_.fail(start, "'" + plain[0] + "' is a CONSTANT");
  }
  const std::uint32_t slot = found->slot;
  const Type array = builder_.variable(slot).type;
  at_ += 2;
  const std::size_t close = find({"]"});
  Expr position = builder_.assigned(expression_until(close, out), kInteger,
                                    "subscript");
  ++at_;
  if (peek().is("[")) source_.unsupported(start, "an array of arrays is");
  if (!accept(":=") && !accept("=")) expect(":=");
  const std::size_t end = end_of_statement();
  Expr value = builder_.assigned(expression_until(end, out), element_of(array),
                                 plain[0]);
  Expr made;
  made.op = Op::Builtin;
  made.index = static_cast<std::uint32_t>(Builtin::ArraySet);
  made.type = array;
  made.at = start;
  Expr variable;
  variable.op = Op::Variable;
  variable.type = array;
  variable.index = slot;
  variable.at = start;
  made.args.push_back(std::move(variable));
  made.args.push_back(std::move(position));
  made.args.push_back(std::move(value));
  builder_.assign(slot, std::move(made), start, out);
  expect(";");
}

void PlReader::assignment(PlBlock& out) {
  if (at(at_ + 1).is("[")) return item_assignment(out);
  const Span start = here();
  Span where;
  const Binding target = assignable(at_, where);
  if (!accept(":=") && !accept("=")) expect(":=");
  const std::size_t end = end_of_statement();
  if (target.kind == Binding::Kind::Cursor) {
    source_.fail(where, "a cursor cannot be assigned", "use OPEN");
  }
  if (target.kind == Binding::Kind::Record) {
    // record := record
    Span from;
    std::size_t i = at_;
    const Binding* other = nullptr;
    if (end == at_ + 1 && at(at_).is_name()) {
      const std::array<std::string, 1> plain = {at(at_).word};
      other = builder_.binding(plain);
      from = text(i, end);
    }
    if (other == nullptr || other->kind != Binding::Kind::Record) {
      source_.unsupported(where, "assigning this to a whole record is",
                          "use SELECT ... INTO, or assign its fields");
    }
    std::vector<Target> columns;
    const Record& source = builder_.record(other->which);
    for (const Record::Field& field : source.fields) {
      Expr e;
      e.op = Op::Variable;
      e.type = field.type;
      e.index = field.slot;
      e.at = from;
      columns.push_back({field.name, std::move(e)});
    }
    if (!source.has_shape) {
      source_.fail(from, "this record is not assigned before it is used");
    }
    const Into into = builder_.into({{target, where}}, columns, start);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      builder_.assign(into.slots[c], std::move(columns[c].expr), start, out);
    }
    at_ = end + 1;
    return;
  }
  const Span span = text(at_, end);
  Expr value = builder_.expression(tokens_, span, out);
  at_ = end;
  expect(";");
  if (builder_.is_script) {
    value = decided(source_, std::move(value));
    builder_.settle_type(target.slot, value.type);
  }
  builder_.assign(target.slot, std::move(value), source_.span(start, span),
                  out);
}

/// Finds INTO [STRICT] targets among the tokens of a statement.
std::optional<Span> PlReader::cut_into(std::size_t from, std::size_t to,
                                       Targets& into, bool& is_strict) {
  int depth = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (at(i).is("(")) ++depth;
    if (at(i).is(")")) --depth;
    if (depth != 0 || !at(i).is("into")) continue;
    if (i > from && at(i - 1).is("insert")) continue;
    std::size_t j = i + 1;
    if (at(j).is("strict")) {
      is_strict = true;
      ++j;
    }
    into = targets(j, to);
    for (std::size_t k = j; k < to; ++k) {
      if (at(k).is("into") && !at(k - 1).is("insert")) {
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
  builder_.execute(tree, std::nullopt, {}, false, true, out);
  at_ = end + 1;
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

/// The fields of a record into the slots that the function returns.
void PlReader::copy_row(Span span, Span start, PlBlock& out) {
  const std::string name(source_.text(span));
  const auto fields = builder_.record(name, span);
  const Routine& routine = builder_.routine;
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

Cursor& PlReader::cursor_at(std::size_t i) {
  const Span where =
      i < tokens_.size() ? source_.span(at(i).offset, at(i).length) : here();
  const std::array<std::string, 1> plain = {at(i).word};
  const Binding* found = at(i).is_name() ? builder_.binding(plain) : nullptr;
  if (found == nullptr || found->kind != Binding::Kind::Cursor) {
    source_.fail(where,
                 "'" + std::string(source_.text(where)) + "' is no cursor",
                 "declare it as name CURSOR FOR SELECT ... or name refcursor");
  }
  return builder_.cursor(found->which);
}

void PlReader::open_bound(Cursor& cursor, Span where, PlBlock& out) {
  std::size_t given = 0;
  if (accept("(")) {
    while (!peek().is(")")) {
      const std::size_t end = find({",", ")"});
      if (given == cursor.parameters.size()) break;
      Expr value = expression_until(end, out);
      builder_.assign(cursor.parameters[given].slot, std::move(value), where,
                      out);
      ++given;
      if (!accept(",")) break;
    }
    if (given == cursor.parameters.size()) expect(")");
  }
  if (given != cursor.parameters.size()) {
    source_.fail(where, "this cursor takes " +
                            std::to_string(cursor.parameters.size()) +
                            " arguments");
  }
}

void PlReader::open_cursor(PlBlock& out) {
  const Span start = here();
  ++at_;
  Cursor& cursor = cursor_at(at_);
  ++at_;
  PlOpen open;
  open.cursor = cursor.id;
  if (accept("no")) expect("scroll");
  if (accept("for")) {
    if (cursor.query) {
      source_.fail(start, "this cursor is bound to a query already");
    }
    const std::size_t end = end_of_statement();
    const Span span = text(at_, end);
    open.query = query_until(end, out);
    if (!open.query.is_select()) {
      source_.unsupported(span, "a cursor for this is",
                          "a cursor is for a SELECT");
    }
    check_no_lock(open.query, span);
    const auto& columns = RoutineBuilder::columns(open.query);
    const auto has_same_type = [](const Target& a, const Target& b) {
      return a.name == b.name && a.expr.type == b.expr.type;
    };
    if (!cursor.columns.empty() &&
        !std::equal(columns.begin(), columns.end(), cursor.columns.begin(),
                    cursor.columns.end(), has_same_type)) {
      source_.unsupported(span, "a cursor with rows of different shapes is",
                          "declare a second cursor");
    }
    cursor.columns = columns;
    at_ = end;
  } else {
    if (!cursor.query) {
      source_.fail(start, "this cursor is bound to no query",
                   "write OPEN name FOR SELECT ...");
    }
    open_bound(cursor, start, out);
    open.query = *cursor.query;
  }
  expect(";");
  emit(out, start, std::move(open));
}

void PlReader::fetch(PlBlock& out) {
  const Span start = here();
  ++at_;
  if (accept("next") || accept("forward")) {
    if (!accept("from")) expect("in");
  } else if (!accept("from")) {
    (void)accept("in");
  }
  const bool is_other = peek().is("prior") || peek().is("first") ||
                        peek().is("last") || peek().is("absolute") ||
                        peek().is("relative") || peek().is("backward") ||
                        peek().is("all");
  if (is_other && !at(at_ + 1).is("into")) {
    source_.unsupported(here(), "FETCH other than NEXT is");
  }
  Cursor& cursor = cursor_at(at_);
  ++at_;
  expect("into");
  const std::size_t end = end_of_statement();
  const Targets where = targets(at_, end);
  if (cursor.columns.empty()) {
    source_.fail(start, "this cursor is not opened before it is used");
  }
  PlFetch fetch;
  fetch.cursor = cursor.id;
  const Into into = builder_.into(where, cursor.columns, start);
  fetch.into = into.slots;
  fetch.into_types = into.types;
  expect(";");
  emit(out, start, std::move(fetch));
}

void PlReader::close_cursor(PlBlock& out) {
  const Span start = here();
  ++at_;
  PlClose close;
  close.cursor = cursor_at(at_).id;
  ++at_;
  expect(";");
  emit(out, start, close);
}

}  // namespace txscope::sql
