#include "read/sql/plpgsql/rooms/controls.h"

#include <algorithm>
#include <array>

#include "model/sql/builtin.h"
#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {

/// FOREACH x IN ARRAY a: a loop over the positions of a copy of the array.
void Controls::foreach_statement(const std::string& label, PlBlock& out) {
  const Span start = here();
  const Label mine = new_label(label, true);
  ++at_;
  Span where;
  const Binding target = rooms_.assignments.assignable(at_, where);
  if (peek().is("slice")) source_.unsupported(here(), "SLICE is");
  expect("in");
  expect("array");
  const std::size_t loop = find({"loop"});
  Expr array = expression_until(loop, out);
  if (array.type.name != TypeName::Array ||
      target.kind != Binding::Kind::Scalar) {
    source_.fail(start, "FOREACH needs an array and a variable");
  }
  const Type type = bare(array.type);
  const auto builtin = [&](Builtin function, Type of, std::vector<Expr> args) {
    Expr e;
    e.op = Op::Builtin;
    e.type = of;
    e.index = static_cast<std::uint32_t>(function);
    e.args = std::move(args);
    e.at = start;
    return e;
  };
  const std::uint32_t copy = builder_.add_slot("", type, start);
  const std::uint32_t position = builder_.add_slot("", kInteger, start);
  builder_.assign(copy, std::move(array), start, out);
  PlForRange range;
  range.label = mine.id;
  range.slot = position;
  range.from = constant(Value::integer(1), kInteger, start);
  std::vector<Expr> whole;
  whole.push_back(slot_value(copy, type, start));
  range.to = builtin(Builtin::Cardinality, kInteger, std::move(whole));
  std::vector<Expr> item;
  item.push_back(slot_value(copy, type, start));
  item.push_back(slot_value(position, kInteger, start));
  Expr value = builtin(Builtin::ArrayItem, element_of(type), std::move(item));
  builder_.assign(target.slot, std::move(value), start, range.body);
  PlBlock body = loop_body(mine);
  std::move(body.begin(), body.end(), std::back_inserter(range.body));
  emit(out, start, std::move(range));
}

void Controls::if_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  PlIf result;
  do {
    PlIf::Arm arm;
    const std::size_t then = find({"then"});
    const Span span = text(at_, then);
    arm.condition = builder_.condition(tokens_, span, arm.before, "IF");
    at_ = then + 1;
    rooms_.blocks.statements(arm.body);
    result.arms.push_back(std::move(arm));
  } while (accept("elsif") || accept("elseif"));
  if (accept("else")) rooms_.blocks.statements(result.otherwise);
  expect("end");
  expect("if");
  expect(";");
  emit(out, start, std::move(result));
}

void Controls::case_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  std::optional<Expr> subject;
  if (!peek().is("when")) {
    Expr e = expression_until(find({"when"}), out);
    e = decided(source_, std::move(e));
    const std::uint32_t slot = builder_.add_slot("", e.type, start);
    Expr variable = slot_value(slot, e.type, start);
    builder_.assign(slot, std::move(e), start, out);
    subject = std::move(variable);
  }
  PlIf result;
  result.must_match = true;
  while (accept("when")) {
    PlIf::Arm arm;
    const std::size_t then = find({"then"});
    if (!subject) {
      arm.condition =
          builder_.condition(tokens_, text(at_, then), arm.before, "CASE WHEN");
      at_ = then;
    } else {
      std::vector<Expr> any;
      while (at_ < then) {
        const std::size_t end = std::min(find({",", "then"}), then);
        const Span span = text(at_, end);
        Expr value = expression_until(end, arm.before);
        (void)accept(",");
        const auto common = combined_type(subject->type, value.type);
        if (!common) {
          source_.fail(span, "this is of type " + to_string(value.type) +
                                 ", but the CASE is of type " +
                                 to_string(subject->type));
        }
        Expr equal;
        equal.op = Op::Equal;
        equal.type = kBoolean;
        equal.at = span;
        equal.args.push_back(convert(source_, *subject, bare(*common)));
        equal.args.push_back(convert(source_, std::move(value), bare(*common)));
        any.push_back(std::move(equal));
      }
      if (any.size() == 1) {
        arm.condition = std::move(any[0]);
      } else {
        arm.condition.op = Op::Or;
        arm.condition.type = kBoolean;
        arm.condition.at = start;
        arm.condition.args = std::move(any);
      }
    }
    expect("then");
    rooms_.blocks.statements(arm.body);
    result.arms.push_back(std::move(arm));
  }
  if (accept("else")) {
    result.must_match = false;
    rooms_.blocks.statements(result.otherwise);
  }
  expect("end");
  expect("case");
  expect(";");
  emit(out, start, std::move(result));
}

PlBlock Controls::loop_body(const Label& label) {
  PlBlock body;
  if (++rooms_.nesting > kDeepest) {
    source_.fail(here(), "loops are nested too deeply here");
  }
  rooms_.labels.push_back(label);
  expect("loop");
  rooms_.blocks.statements(body, true);
  expect("end");
  expect("loop");
  if (peek().is_name() && peek().word == label.name) ++at_;
  expect(";");
  rooms_.labels.pop_back();
  --rooms_.nesting;
  return body;
}

void Controls::loop_statement(const std::string& label, PlBlock& out) {
  const Span start = here();
  const Label mine = new_label(label, true);
  PlLoop loop;
  loop.label = mine.id;
  loop.body = loop_body(mine);
  emit(out, start, std::move(loop));
}

void Controls::while_statement(const std::string& label, PlBlock& out) {
  const Span start = here();
  ++at_;
  const Label mine = new_label(label, true);
  PlLoop loop;
  loop.label = mine.id;
  const std::size_t end = find({"loop"});
  loop.condition =
      builder_.condition(tokens_, text(at_, end), loop.before, "WHILE");
  at_ = end;
  loop.body = loop_body(mine);
  emit(out, start, std::move(loop));
}

void Controls::for_statement(const std::string& label, PlBlock& out) {
  const Span start = here();
  ++at_;
  const Label mine = new_label(label, true);
  const std::size_t name_at = at_;
  const std::size_t in = find({"in"});
  at_ = in + 1;
  const std::size_t loop = find({"loop"});
  if (peek().is_name() && at_ < loop) {
    const std::array<std::string, 1> plain = {peek().word};
    const Binding* found = builder_.binding(plain);
    if (found != nullptr && found->kind == Binding::Kind::Cursor) {
      return for_cursor(mine, name_at, out, start);
    }
  }
  if (peek().is("reverse")) {
    return for_range(mine, name_at, find({".."}), loop, out, start);
  }
  int depth = 0;
  for (std::size_t i = at_; i < loop; ++i) {
    if (at(i).is("(")) ++depth;
    if (at(i).is(")")) --depth;
    if (depth == 0 && at(i).is("..")) {
      return for_range(mine, name_at, i, loop, out, start);
    }
  }
  std::size_t i = name_at;
  Targets into = rooms_.assignments.targets(i, in);
  if (i != in) {
    source_.fail(source_.span(at(i).offset, at(i).length), "expected IN");
  }
  for_query(mine, into, out, start);
}

void Controls::for_range(const Label& label, std::size_t name_at,
                         std::size_t dots, std::size_t loop, PlBlock& out,
                         Span start) {
  PlForRange range;
  range.label = label.id;
  range.is_reverse = accept("reverse");
  const auto bound = [&](std::size_t end) {
    return builder_.assigned(expression_until(end, out), kInteger,
                             "the loop's variable");
  };
  range.from = bound(dots);
  at_ = dots + 1;
  const std::size_t by = find({"by", "loop"});
  range.to = bound(by);
  if (accept("by")) range.step = bound(loop);
  at_ = loop;
  const Token& variable = at(name_at);
  if (!variable.is_name() || !at(name_at + 1).is("in")) {
    source_.fail(source_.span(variable.offset, variable.length),
                 "expected the name of the loop's variable");
  }
  const Span at_name = source_.span(variable.offset, variable.length);
  builder_.open_scope(label.name);
  Binding binding;
  binding.slot = builder_.add_slot(variable.word, kInteger, at_name);
  builder_.declare(variable.word, binding, at_name);
  range.slot = binding.slot;
  range.body = loop_body(label);
  builder_.close_scope();
  emit(out, start, std::move(range));
}

void Controls::for_query(const Label& label, const Targets& targets,
                         PlBlock& out, Span start) {
  const std::size_t loop = find({"loop"});
  const Span span = text(at_, loop);
  PlForRows rows;
  rows.label = label.id;
  rows.query = rooms_.commands.query_until(loop, out);
  if (RoutineBuilder::columns(rows.query).empty()) {
    source_.fail(span, "a FOR loop needs a query that gives rows",
                 "add RETURNING");
  }
  const Into into =
      builder_.into(targets, RoutineBuilder::columns(rows.query), span);
  rows.into = into.slots;
  rows.into_types = into.types;
  at_ = loop;
  rows.body = loop_body(label);
  emit(out, start, std::move(rows));
}

void Controls::for_cursor(const Label& label, std::size_t name_at, PlBlock& out,
                          Span start) {
  Cursor& cursor = rooms_.cursors.cursor_at(at_);
  const Span span = here();
  ++at_;
  if (!cursor.query) {
    source_.fail(span, "a FOR loop needs a cursor that is bound to a query",
                 "declare it as name CURSOR FOR SELECT ...");
  }
  rooms_.cursors.open_bound(cursor, span, out);
  const Token& variable = at(name_at);
  const Span at_name = source_.span(variable.offset, variable.length);
  builder_.open_scope(label.name);
  Binding binding;
  binding.kind = Binding::Kind::Record;
  binding.which = builder_.add_record();
  builder_.declare(variable.word, binding, at_name);
  PlForRows rows;
  rows.label = label.id;
  rows.cursor = cursor.id;
  rows.query = *cursor.query;
  const Into into = builder_.into({{binding, at_name}}, cursor.columns, span);
  rows.into = into.slots;
  rows.into_types = into.types;
  rows.body = loop_body(label);
  builder_.close_scope();
  emit(out, start, std::move(rows));
}

void Controls::exit_statement(PlBlock& out, bool is_continue) {
  const Span start = here();
  ++at_;
  std::string wanted;
  if (!peek().is("when") && !peek().is(";")) wanted = name("a label or WHEN");
  const Label* found = nullptr;
  for (auto label = rooms_.labels.rbegin(); label != rooms_.labels.rend();
       ++label) {
    const bool is_it = wanted.empty() ? label->is_loop : label->name == wanted;
    if (is_it) {
      found = &*label;
      break;
    }
  }
  if (found == nullptr) {
    source_.fail(start, wanted.empty()
                            ? std::string(is_continue ? "CONTINUE" : "EXIT") +
                                  " is outside a loop"
                            : "there is no label '" + wanted + "' around here");
  }
  if (is_continue && !found->is_loop) {
    source_.fail(start, "CONTINUE needs the label of a loop");
  }
  PlExit exit;
  exit.label = found->id;
  exit.is_continue = is_continue;
  if (accept("when")) {
    const std::size_t end = end_of_statement();
    PlIf test;
    PlIf::Arm arm;
    arm.condition = builder_.condition(tokens_, text(at_, end), arm.before,
                                       is_continue ? "CONTINUE" : "EXIT");
    at_ = end;
    emit(arm.body, start, exit);
    test.arms.push_back(std::move(arm));
    emit(out, start, std::move(test));
  } else {
    emit(out, start, exit);
  }
  expect(";");
}

}  // namespace txscope::sql::plpgsql
