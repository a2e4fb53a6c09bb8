// Loops and cursors.

#include <algorithm>
#include <limits>

#include "exec/sql/routine/interpreter_run.h"

namespace txscope::sql {

bool Interpreter::Run::is_at_bound(const Instruction& i) {
  const bool goes_on =
      i.what == Do::Round ||
      (i.what == Do::TestRange
           ? !is_range_over(i)
           : cursor(i.cursor).next < cursor(i.cursor).rows->rows.size());
  return goes_on && static_cast<std::uint64_t>(hidden(i).integer()) >=
                        p_.routines_->loop_bound();
}

void Interpreter::Run::leave_loop(const Instruction& i) {
  for (std::uint32_t n = 0; n < i.target; ++n) hidden(i, n) = Value();
  if (i.cursor == kNoCursor) return;
  cursor(i.cursor) = {};
  const auto& loop = std::get<PlForRows>(i.statement->what);
  if (loop.cursor) close_portal(loop.cursor->index);
}

void Interpreter::Run::enter_range(const Instruction& i,
                                   const PlForRange& loop) {
  const auto bound = [&](const Expr& e, const char* what, std::uint32_t n) {
    if (p_.error_ || is_interrupted_) return;
    hidden(i, n) = eval(e);
    if (hidden(i, n).is_null() && !p_.error_ && !is_interrupted_)
      fail("22004", std::string(what) + " of FOR loop cannot be null");
  };
  hidden(i) = Value::integer(0);
  bound(loop.from, "lower bound", 1);
  bound(loop.to, "upper bound", 2);
  hidden(i, 3) = Value::integer(1);
  if (loop.step) bound(*loop.step, "BY value", 3);
  if (!p_.error_ && !is_interrupted_ && hidden(i, 3).integer() <= 0)
    fail("22023", "BY value of FOR loop must be greater than zero");
}

bool Interpreter::Run::is_range_over(const Instruction& i) {
  const bool is_reverse = std::get<PlForRange>(i.statement->what).is_reverse;
  const std::int64_t current = hidden(i, 1).integer();
  const std::int64_t last = hidden(i, 2).integer();
  return is_reverse ? current < last : current > last;
}

bool Interpreter::Run::next_of_range(const Instruction& i) {
  const bool is_reverse = std::get<PlForRange>(i.statement->what).is_reverse;
  const std::int64_t step = hidden(i, 3).integer();
  const std::int64_t next =
      hidden(i, 1).integer() + (is_reverse ? -step : step);
  if (next > std::numeric_limits<std::int32_t>::max() ||
      next < std::numeric_limits<std::int32_t>::min())
    return false;
  hidden(i, 1) = Value::integer(next);
  return true;
}

bool Interpreter::Run::next_row(const Instruction& i) {
  const auto& loop = std::get<PlForRows>(i.statement->what);
  Process::Cursor& rows = cursor(i.cursor);
  if (rows.next >= rows.rows->rows.size()) {
    if (rows.rows->rows.empty()) assign(loop.into, nullptr);
    return false;
  }
  count_round(i);
  assign(loop.into, &rows.rows->rows[rows.next++]);
  return true;
}

std::vector<Value>::iterator Interpreter::Run::portal(std::uint32_t i) {
  const CursorVariable& variable = code().routine->cursors[i];
  return std::find(p_.portals_.begin(), p_.portals_.end(),
                   variable.is_bound ? Value::text(variable.name) : Value());
}

void Interpreter::Run::open_portal(std::uint32_t i) {
  const CursorVariable& variable = code().routine->cursors[i];
  if (!variable.is_bound) return;
  p_.portals_.push_back(Value::text(variable.name));
  std::sort(p_.portals_.begin(), p_.portals_.end());
}

void Interpreter::Run::close_portal(std::uint32_t i) {
  if (const auto found = portal(i); found != p_.portals_.end())
    p_.portals_.erase(found);
}

bool Interpreter::Run::is_in_use(std::uint32_t i) {
  if (cursor(i).rows == nullptr && portal(i) == p_.portals_.end()) return false;
  fail("42P03",
       "cursor \"" + code().routine->cursors[i].name + "\" already in use");
  return true;
}

bool Interpreter::Run::is_open(const Instruction& i) {
  if (cursor(i.cursor).rows != nullptr) return true;
  const CursorVariable& variable = code().routine->cursors[i.cursor];
  if (portal(i.cursor) != p_.portals_.end())
    fail(SqlError{"54000", "a cursor that was opened elsewhere", {}, true});
  else if (!variable.is_bound && cursor(i.cursor).next == 0)
    fail("22004", "cursor variable \"" + variable.name + "\" is null");
  else
    fail("34000", "cursor \"" + variable.name + "\" does not exist");
  return false;
}

void Interpreter::Run::fetch(const Instruction& i) {
  if (!is_open(i)) return;
  Process::Cursor& rows = cursor(i.cursor);
  const bool is_found = rows.next < rows.rows->rows.size();
  const Row* row = is_found ? &rows.rows->rows[rows.next++] : nullptr;
  assign(std::get<PlFetch>(i.statement->what).into, row);
  set_found(is_found, is_found ? 1 : 0);
}

void Interpreter::Run::close_loops() {
  for (const Instruction& i : code().instructions) {
    if (i.what != Do::EnterRows || cursor(i.cursor).rows == nullptr) continue;
    const auto& loop = std::get<PlForRows>(i.statement->what);
    if (loop.cursor) close_portal(loop.cursor->index);
  }
}

}  // namespace txscope::sql
