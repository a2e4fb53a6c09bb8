#include "read/sql/plpgsql/rooms/cursors.h"

#include <algorithm>
#include <array>

#include "read/sql/plpgsql/rooms/rooms.h"

namespace txscope::sql::plpgsql {

void Cursors::check_no_lock(const DbStatement& query, Span at) const {
  if (std::get<Select>(query.what)->lock == LockStrength::None) return;
  source_.unsupported(at, "a cursor FOR UPDATE or FOR SHARE is",
                      "use FOR r IN SELECT ... FOR UPDATE LOOP");
}

Cursor& Cursors::cursor_at(std::size_t i) {
  const Span where =
      i < tokens_.size() ? source_.span(at(i).offset, at(i).length) : here();
  const std::array<std::string, 1> plain = {at(i).word};
  const Binding* found = at(i).is_name() ? builder_.binding(plain) : nullptr;
  if (found == nullptr || found->kind != Binding::Kind::Cursor) {
    source_.fail(where,
                 "'" + std::string(source_.text(where)) + "' is not a cursor",
                 "declare it as name CURSOR FOR SELECT ... or name refcursor");
  }
  return builder_.cursor(found->which);
}

void Cursors::open_bound(Cursor& cursor, Span where, PlBlock& out) {
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

void Cursors::open_cursor(PlBlock& out) {
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
    open.query = rooms_.commands.query_until(end, out);
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

void Cursors::fetch(PlBlock& out) {
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
  const Targets where = rooms_.assignments.targets(at_, end);
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

void Cursors::close_cursor(PlBlock& out) {
  const Span start = here();
  ++at_;
  PlClose close;
  close.cursor = cursor_at(at_).id;
  ++at_;
  expect(";");
  emit(out, start, close);
}

}  // namespace txscope::sql::plpgsql
