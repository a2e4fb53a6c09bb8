// Cursors, and FOR over their rows or over numbers.

#include <array>
#include <utility>

#include "read/sql/analyze/mariadb.h"
#include "read/sql/mysql/program.h"
#include "read/sql/mysql/state.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

/// CURSOR [(parameters)] FOR SELECT ...
void MysqlProgram::cursor_declaration(const std::string& called, Span at) {
  expect("cursor");
  std::vector<Record::Field> parameters;
  builder_.open_scope("");
  if (accept("(")) {
    do {
      const Span where = here();
      const std::string parameter = name("a parameter");
      const Type type = type_until(find({",", ")"}));
      const std::uint32_t slot = builder_.add_slot("", type, where);
      Binding binding;
      binding.slot = slot;
      builder_.declare(parameter, binding, where);
      parameters.push_back({parameter, slot, type});
    } while (accept(","));
    expect(")");
  }
  expect("for");
  DbStatement query = cursor_query(find({";"}), at);
  builder_.close_scope();
  Binding binding;
  binding.kind = Binding::Kind::Cursor;
  binding.which = builder_.add_cursor(called, false);
  Cursor& cursor = builder_.cursor(binding.which);
  cursor.columns = RoutineBuilder::columns(query);
  cursor.query = std::move(query);
  cursor.parameters = std::move(parameters);
  builder_.declare(called, binding, at);
}

/// The SELECT up to there.
DbStatement MysqlProgram::cursor_query(std::size_t end, Span at) {
  declare_users(at_, end);
  const Tree tree = parse(at_, end);
  PlBlock before;
  DbStatement query = builder_.statement(tree, before);
  if (!before.empty())
    source_.unsupported(at, "a cursor for a query that calls functions is");
  if (!query.is_select()) source_.fail(at, "a cursor is for a SELECT");
  at_ = end;
  return query;
}

Cursor& MysqlProgram::cursor_here() {
  const Span at = here();
  const std::array<std::string, 1> called = {name("a cursor")};
  const Binding* found = builder_.binding(called);
  if (found == nullptr || found->kind != Binding::Kind::Cursor)
    source_.fail(at, "unknown cursor '" + called[0] + "'");
  return builder_.cursor(found->which);
}

/// What OPEN c(1, 2) gives the cursor's parameters.
void MysqlProgram::cursor_arguments(const Cursor& cursor, Span at,
                                    PlBlock& out) {
  std::size_t given = 0;
  if (accept("(")) {
    while (!is(")") && given < cursor.parameters.size()) {
      const std::size_t end = find({",", ")"});
      const Record::Field& parameter = cursor.parameters[given++];
      Expr value = decided(source_, expression(at_, end, out));
      at_ = end;
      builder_.assign(
          parameter.slot,
          mariadb_assigned(source_, std::move(value), parameter.type), at, out);
      if (!accept(",")) break;
    }
    expect(")");
  }
  if (given == cursor.parameters.size()) return;
  source_.fail(at, "this cursor takes " +
                       std::to_string(cursor.parameters.size()) + " arguments");
}

void MysqlProgram::open_cursor(PlBlock& out) {
  const Span start = here();
  ++at_;
  const Cursor& cursor = cursor_here();
  cursor_arguments(cursor, start, out);
  PlOpen made;
  made.cursor = cursor.id;
  made.query = *cursor.query;
  emit(out, start, std::move(made));
}

void MysqlProgram::close_cursor(PlBlock& out) {
  const Span start = here();
  ++at_;
  PlClose made;
  made.cursor = cursor_here().id;
  emit(out, start, made);
}

void MysqlProgram::fetch(PlBlock& out) {
  const Span start = here();
  ++at_;
  (void)accept("next");
  (void)accept("from");
  const Cursor& cursor = cursor_here();
  expect("into");
  std::vector<Place> places;
  do {
    const Span at = here();
    places.push_back(place(name("a variable"), at));
  } while (accept(","));
  spread_record(places);
  if (places.size() != cursor.columns.size())
    source_.fail(start, "the cursor has " +
                            std::to_string(cursor.columns.size()) +
                            " columns, and INTO " +
                            std::to_string(places.size()) + " variables");
  PlFetch made;
  made.cursor = cursor.id;
  PlIf found;
  PlIf::Arm& arm = found.arms.emplace_back();
  arm.condition = slot_value(kFoundSlot, kBoolean, start);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Type type = bare(cursor.columns[i].expr.type);
    made.into.push_back(builder_.add_slot("", type, start));
    made.into_types.push_back(type);
    assign(places[i], slot_value(made.into.back(), type, start), start,
           arm.body);
  }
  emit(out, start, std::move(made));
  if (!not_found(found.otherwise)) {
    PlRaise none;
    none.sqlstate = "02000";
    none.message = "No data - zero rows fetched, selected, or processed";
    emit(found.otherwise, start, std::move(none));
  }
  emit(out, start, std::move(found));
}

/// A record alone stands for its fields.
void MysqlProgram::spread_record(std::vector<Place>& places) {
  if (places.size() != 1 || places[0].binding.kind != Binding::Kind::Record)
    return;
  const Place whole = places[0];
  places.clear();
  for (const Record::Field& field :
       builder_.record(whole.binding.which).fields) {
    Binding binding;
    binding.slot = field.slot;
    places.push_back({binding, whole.at});
  }
}

/// A record with these fields, each named and typed.
Binding MysqlProgram::new_record(
    const std::string& called,
    const std::vector<std::pair<std::string, Type>>& fields, Span at) {
  Binding binding;
  binding.kind = Binding::Kind::Record;
  binding.which = builder_.add_record();
  Record& record = builder_.record(binding.which);
  record.has_shape = record.is_row = true;
  for (const auto& [field, type] : fields)
    record.fields.push_back(
        {field, builder_.add_slot(called + "." + field, type, at), type});
  builder_.declare(called, binding, at);
  return binding;
}

/// FOR i IN [REVERSE] 1..n DO; FOR r IN (SELECT ...) DO; FOR r IN cursor DO
void MysqlProgram::for_statement(const std::string& label, PlBlock& out) {
  const Span start = here();
  expect("for");
  const Span named_at = here();
  const std::string called = name("a variable");
  expect("in");
  const Label mine = new_label(label, true);
  labels_.push_back(mine);
  const MysqlTransaction entry = transaction_;
  builder_.open_scope("");
  const bool is_query = is("(") && (is("select", 1) || is("with", 1));
  const std::array<std::string, 1> plain = {
      peek().is_name() ? source_.mysql()->name(peek().word) : std::string()};
  const Binding* cursor = builder_.binding(plain);
  const bool is_cursor =
      cursor != nullptr && cursor->kind == Binding::Kind::Cursor;
  PlStatement made;
  if (is_query || is_cursor) {
    made = make(start, for_rows(mine.id, called, named_at, is_cursor, out));
    loop_body(std::get<PlForRows>(made.what).body);
  } else {
    made = make(start, for_range(mine.id, called, named_at, out));
    loop_body(std::get<PlForRange>(made.what).body);
  }
  builder_.close_scope();
  expect("for");
  end_label(label);
  close_label();
  if (transaction_ != entry) join(entry);
  out.push_back(std::move(made));
}

PlForRows MysqlProgram::for_rows(LabelId label, const std::string& called,
                                 Span at, bool is_cursor, PlBlock& out) {
  PlForRows loop;
  loop.label = label;
  if (is_cursor) {
    const Cursor& cursor = cursor_here();
    cursor_arguments(cursor, at, out);
    loop.query = *cursor.query;
  } else {
    expect("(");
    loop.query = cursor_query(find({")"}), at);
    expect(")");
  }
  expect("do");
  std::vector<std::pair<std::string, Type>> fields;
  for (const Target& column : RoutineBuilder::columns(loop.query))
    fields.emplace_back(column.name, bare(column.expr.type));
  const Binding record = new_record(called, fields, at);
  for (const Record::Field& field : builder_.record(record.which).fields) {
    loop.into.push_back(field.slot);
    loop.into_types.push_back(field.type);
  }
  return loop;
}

PlForRange MysqlProgram::for_range(LabelId label, const std::string& called,
                                   Span at, PlBlock& out) {
  PlForRange loop;
  loop.label = label;
  loop.is_reverse = accept("reverse");
  const auto bound = [&](std::size_t end) {
    Expr value = decided(source_, expression(at_, end, out));
    at_ = end;
    return mariadb_assigned(source_, std::move(value), kInteger);
  };
  // From the lower to the upper one, or back.
  Expr low = bound(find({".."}));
  expect("..");
  Expr high = bound(find({"do"}));
  expect("do");
  loop.from = loop.is_reverse ? high : low;
  loop.to = loop.is_reverse ? low : high;
  Binding binding;
  binding.slot = loop.slot = builder_.add_slot(called, kInteger, at);
  builder_.declare(called, binding, at);
  return loop;
}

void MysqlProgram::loop_body(PlBlock& body) {
  texts_.forget_all();
  statements(body, {"end"});
  texts_.forget_all();
  expect("end");
}

}  // namespace txscope::sql
