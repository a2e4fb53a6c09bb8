// SIGNAL, RESIGNAL, GET DIAGNOSTICS.

#include <utility>

#include "model/product/mysql_condition.h"
#include "read/sql/mysql/program.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

/// SIGNAL SQLSTATE 'xyz' SET MESSAGE_TEXT = ...; RESIGNAL, alone or so.
void MysqlProgram::signal(PlBlock& out, bool again) {
  const Span start = here();
  ++at_;
  PlRaise raise;
  raise.sqlstate = "45000";
  bool has_state = false;
  if (!is(";") && !is("set") && at_ < tokens_.size()) {
    has_state = true;
    if (is("sqlstate")) {
      const std::size_t value = is("value", 1) ? 2 : 1;
      const Token& code = peek(value);
      raise.sqlstate = code.word;
      at_ += value + 1;
      if (code.kind != TokenKind::String || raise.sqlstate.size() != 5)
        source_.fail(start, "expected a SQLSTATE of five characters in quotes");
    } else {
      raise.sqlstate = declared_condition().front();
    }
  }
  bool has_message = false;
  if (accept("set")) {
    do {
      const std::string item = name("an item of the condition");
      expect("=");
      const std::size_t end = find({",", ";"});
      if (item == "message_text") {
        has_message = true;
        raise.message = "%";
        Expr value = expression(at_, end, out);
        raise.arguments.push_back(
            convert(source_, decided(source_, std::move(value)), kText));
      }
      at_ = end;
    } while (accept(","));
  }
  if (!again && !has_state)
    source_.fail(start, "SIGNAL needs a SQLSTATE or a condition");
  if (again) {
    if (handling_.empty())
      source_.fail(start, "RESIGNAL is allowed only in a handler");
    if (!has_state) raise.again = handling_.back();
    if (!has_state && has_message) {
      builder_.assign(handling_.back().message_slot,
                      std::move(raise.arguments[0]), start, out);
      raise.arguments.clear();
    }
  }
  // A warning or NOT FOUND that is raised is no error.
  if (!raise.again && raise.sqlstate.starts_with("02")) {
    if (not_found(out)) return;
  } else if (!raise.again && raise.sqlstate.starts_with("01")) {
    return;
  }
  PlBlock own;
  emit(own, start, std::move(raise));
  guard(std::move(own), start, out);
}

namespace {

Expr is_like_state(std::uint32_t slot, std::string_view prefix, Span at) {
  Expr test;
  test.op = Op::Like;
  test.type = kBoolean;
  test.at = at;
  test.args.push_back(slot_value(slot, kText, at));
  test.args.push_back(
      constant(Value::text(std::string(prefix) + "%"), kText, at));
  return test;
}

/// The server's own state or number of what happened.
Expr code_of(std::uint32_t slot, bool is_number, Span at) {
  Expr all;
  all.op = Op::Case;
  all.type = is_number ? kInteger : kText;
  all.at = at;
  for (const MysqlCondition& row : mysql_conditions()) {
    all.args.push_back(is_like_state(slot, row.ours, at));
    all.args.push_back(is_number
                           ? constant(Value::integer(row.number), kInteger, at)
                           : constant(Value::text(row.state), kText, at));
  }
  all.args.push_back(is_number ? constant(Value::integer(1644), kInteger, at)
                               : slot_value(slot, kText, at));
  return all;
}

}  // namespace

/// GET [CURRENT|STACKED] DIAGNOSTICS [CONDITION 1] v = item, ...
void MysqlProgram::get_diagnostics(PlBlock& out) {
  const Span start = here();
  ++at_;
  if (!accept("current")) (void)accept("stacked");
  expect("diagnostics");
  const bool is_condition = accept("condition");
  if (is_condition) ++at_;  // its number
  do {
    const Span where = here();
    std::string called = name("a variable");
    const Place to = place(called, where);
    expect("=");
    const Span item_at = here();
    const std::string item = name("an item");
    Expr value;
    if (!is_condition && item == "row_count") {
      PlRowCount count;
      count.slot = builder_.add_slot("", {TypeName::BigInt}, start);
      const std::uint32_t slot = count.slot;
      emit(out, start, count);
      value = slot_value(slot, {TypeName::BigInt}, start);
    } else if (!is_condition && item == "number") {
      value =
          constant(Value::integer(handling_.empty() ? 0 : 1), kInteger, start);
    } else if (is_condition && !handling_.empty() &&
               item == "returned_sqlstate") {
      value = code_of(handling_.back().state_slot, false, start);
    } else if (is_condition && !handling_.empty() && item == "mysql_errno") {
      value = code_of(handling_.back().state_slot, true, start);
    } else if (is_condition && !handling_.empty() && item == "message_text") {
      value = slot_value(handling_.back().message_slot, kText, start);
    } else {
      source_.unsupported(item_at, "this item of GET DIAGNOSTICS here is",
                          "in a handler RETURNED_SQLSTATE, MYSQL_ERRNO and "
                          "MESSAGE_TEXT are, elsewhere ROW_COUNT");
    }
    assign(to, std::move(value), start, out);
  } while (accept(","));
}

}  // namespace txscope::sql
