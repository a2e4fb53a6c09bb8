#include "read/sql/plpgsql/rooms/diagnostics.h"

#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {

/// GET STACKED DIAGNOSTICS v = item, ...;
void Diagnostics::stacked_diagnostics(Span start, PlBlock& out) {
  if (rooms_.handling.empty()) {
    source_.fail(
        start,
        "GET STACKED DIAGNOSTICS is allowed only in an EXCEPTION handler");
  }
  do {
    Span where;
    const Binding target = rooms_.assignments.assignable(at_, where);
    if (!accept(":=") && !accept("=")) expect("=");
    const bool is_state = peek().is("returned_sqlstate");
    if (target.kind != Binding::Kind::Scalar ||
        (!is_state && !peek().is("message_text"))) {
      source_.unsupported(here(), "this item of GET STACKED DIAGNOSTICS is",
                          "RETURNED_SQLSTATE and MESSAGE_TEXT are");
    }
    ++at_;
    Expr value = slot_value(is_state ? rooms_.handling.back().state_slot
                                     : rooms_.handling.back().message_slot,
                            kText, where);
    builder_.assign(target.slot, std::move(value), start, out);
  } while (accept(","));
  expect(";");
}

void Diagnostics::get_diagnostics(PlBlock& out) {
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
    const Binding target = rooms_.assignments.assignable(at_, where);
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

}  // namespace txscope::sql::plpgsql
