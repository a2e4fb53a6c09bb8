// Handlers, SIGNAL, GET DIAGNOSTICS.

#include <algorithm>
#include <array>
#include <utility>

#include "model/product/mysql_condition.h"
#include "read/sql/mysql/program.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

namespace {

bool is_not_found_state(const std::string& state) {
  return state.starts_with("02");
}

}  // namespace

/// SQLSTATE [VALUE] 'xyz' or an error's number.
std::vector<std::string> MysqlProgram::condition_codes() {
  if (accept("sqlstate")) {
    (void)accept("value");
    if (peek().kind != TokenKind::String || peek().word.size() != 5)
      source_.fail(here(), "expected a SQLSTATE of five characters in quotes");
    return sqlstates_of_mysql(tokens_[at_++].word);
  }
  if (peek().kind != TokenKind::Number)
    source_.fail(here(), "expected SQLSTATE or an error's number");
  const std::string& digits = peek().word;
  const std::int64_t number = digits.size() < 9 ? std::stoll(digits) : 0;
  ++at_;
  std::vector<std::string> states = sqlstates_of_mysql(number);
  // One that cannot happen here: a state that nothing has.
  if (states.empty()) states.push_back("E" + std::to_string(number));
  return states;
}

void MysqlProgram::condition(Handler& handler) {
  if (accept("sqlexception")) {
    handler.is_for_errors = true;
    handler.conditions.clear();
    handler.conditions.emplace_back("");
    return;
  }
  if (accept("sqlwarning")) return;  // warnings do not happen here
  if (accept("not")) {
    expect("found");
    handler.is_not_found = true;
    return;
  }
  std::vector<std::string> states;
  const bool is_code = is("sqlstate") || peek().kind == TokenKind::Number;
  if (is_code) {
    states = condition_codes();
  } else {
    const Span at = here();
    const std::string called = name("a condition");
    const auto found =
        std::find_if(conditions_.rbegin(), conditions_.rend(),
                     [&](const auto& each) { return each.first == called; });
    if (found == conditions_.rend())
      source_.fail(at, "unknown condition '" + called + "'");
    states = found->second;
  }
  for (std::string& state : states) {
    if (is_not_found_state(state)) {
      handler.is_not_found = true;
    } else {
      handler.is_for_errors = true;
      handler.conditions.push_back(std::move(state));
    }
  }
}

/// CONTINUE|EXIT HANDLER FOR condition, ... statement
void MysqlProgram::handler_declaration(HandlerLevel& level) {
  Handler handler;
  if (is("undo")) source_.unsupported(here(), "an UNDO handler is");
  handler.continues = is("continue");
  if (!handler.continues && !is("exit"))
    source_.fail(here(), "expected CONTINUE or EXIT");
  ++at_;
  expect("handler");
  expect("for");
  do {
    condition(handler);
  } while (accept(","));
  // SQLEXCEPTION is all there is.
  auto& conditions = handler.conditions;
  if (std::find(conditions.begin(), conditions.end(), "") != conditions.end())
    conditions.clear();
  handler.body = at_;
  skip_one_statement();
  level.handlers.push_back(std::move(handler));
  // Names of errors come before SQLEXCEPTION, whatever their order.
  std::stable_sort(level.handlers.begin(), level.handlers.end(),
                   [](const Handler& a, const Handler& b) {
                     return !a.conditions.empty() && b.conditions.empty();
                   });
}

/// Whether IF begins a statement here, and is not the function.
bool MysqlProgram::is_if_statement(std::size_t i) const {
  if (!tokens_[i].is("if") || (i > 0 && tokens_[i - 1].is("end"))) return false;
  if (i + 1 >= tokens_.size() || !tokens_[i + 1].is("(")) return true;
  int depth = 0;
  for (std::size_t k = i + 1; k < tokens_.size(); ++k) {
    if (tokens_[k].is("(")) ++depth;
    if (tokens_[k].is(")") && --depth == 0) return true;
    if (depth == 1 && tokens_[k].is(",")) return false;
  }
  return true;
}

/// What a block keeps of its work when it fails is not followed yet.
void MysqlProgram::refuse_handler(Span at) const {
  source_.unsupported(at, "a handler for errors is");
}

/// To the semicolon behind the statement here, which may be a block.
void MysqlProgram::skip_one_statement() {
  int depth = 0;
  for (; at_ < tokens_.size(); ++at_) {
    const Token& token = tokens_[at_];
    if (token.is(";") && depth == 0) return;
    if (token.is("end")) {
      --depth;
      continue;
    }
    const bool is_after_end = at_ > 0 && tokens_[at_ - 1].is("end");
    const bool opens = token.is("begin") || token.is("case") ||
                       token.is("loop") || token.is("while") ||
                       (token.is("repeat") && !is("(", 1)) ||
                       is_if_statement(at_);
    if (opens && !is_after_end) ++depth;
  }
}

void MysqlProgram::run_handler(const Handler& handler, std::size_t level,
                               PlBlock& out) {
  const std::size_t back = at_;
  const std::size_t outer = std::exchange(handled_, level);
  at_ = handler.body;
  builder_.enter(false);
  statement(out);
  builder_.leave();
  at_ = back;
  handled_ = outer;
}

/// Those of a level, in the state that the transaction has here.
void MysqlProgram::add_handlers(PlTry& guarded, std::size_t level) {
  const Span at = here();
  if (guarded.handlers.empty()) {
    guarded.state_slot = builder_.add_slot("", kText, at);
    guarded.message_slot = builder_.add_slot("", kText, at);
  }
  handling_.push_back({guarded.state_slot, guarded.message_slot});
  const MysqlTransaction entry = transaction_;
  std::vector<MysqlTransaction> ways;
  // By index: a handler's body may declare others.
  for (std::size_t h = 0; h < handlers_[level].handlers.size(); ++h) {
    const Handler handler = handlers_[level].handlers[h];
    if (!handler.is_for_errors) continue;
    PlTry::Handler made;
    made.conditions = handler.conditions;
    transaction_ = entry;
    run_handler(handler, level, made.body);
    if (!goes_away(made.body)) ways.push_back(transaction_);
    if (!handler.continues)
      emit(made.body, text(handler.body, handler.body + 1),
           PlExit{handlers_[level].exit, false});
    guarded.handlers.push_back(std::move(made));
  }
  transaction_ = ways.empty() ? entry : ways[0];
  for (const MysqlTransaction each : ways) join(each);
  handling_.pop_back();
}

/// A statement that something goes on after if it fails (P1).
void MysqlProgram::guard(PlBlock body, Span at, PlBlock& out) {
  bool by_statement = false;
  for (std::size_t l = 0; l < handled_; ++l)
    by_statement |= handlers_[l].by_statement;
  const bool may_fail =
      std::any_of(body.begin(), body.end(), [](const PlStatement& s) {
        return !std::holds_alternative<PlEnd>(s.what);
      });
  if (!by_statement || !may_fail) {
    std::move(body.begin(), body.end(), std::back_inserter(out));
    return;
  }
  // COMMIT of a statement alone comes behind what guards it.
  PlBlock tail;
  while (!body.empty() && std::holds_alternative<PlEnd>(body.back().what)) {
    tail.insert(tail.begin(), std::move(body.back()));
    body.pop_back();
  }
  PlTry guarded;
  refuse_handler(at);
  guarded.body = std::move(body);
  const MysqlTransaction entry = transaction_;
  for (std::size_t l = handled_; l-- > 0;) {
    add_handlers(guarded, l);
    const bool has_all = std::any_of(
        guarded.handlers.begin(), guarded.handlers.end(),
        [](const PlTry::Handler& h) { return h.conditions.empty(); });
    if (has_all) break;
  }
  transaction_ = entry;
  if (guarded.handlers.empty()) {
    std::move(guarded.body.begin(), guarded.body.end(),
              std::back_inserter(out));
  } else {
    emit(out, at, std::move(guarded));
  }
  std::move(tail.begin(), tail.end(), std::back_inserter(out));
}

bool MysqlProgram::not_found(PlBlock& out) {
  for (std::size_t l = handled_; l-- > 0;) {
    // By index: its body may declare others.
    for (std::size_t h = 0; h < handlers_[l].handlers.size(); ++h) {
      if (!handlers_[l].handlers[h].is_not_found) continue;
      const Handler handler = handlers_[l].handlers[h];
      const MysqlTransaction entry = transaction_;
      run_handler(handler, l, out);
      if (!handler.continues) {
        emit(out, text(handler.body, handler.body + 1),
             PlExit{handlers_[l].exit, false});
        transaction_ = entry;
      }
      return true;
    }
  }
  return false;
}

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
      const Span at = here();
      const std::string called = name("a condition");
      const auto found =
          std::find_if(conditions_.rbegin(), conditions_.rend(),
                       [&](const auto& each) { return each.first == called; });
      if (found == conditions_.rend())
        source_.fail(at, "unknown condition '" + called + "'");
      raise.sqlstate = found->second.front();
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
    if (handling_.empty()) source_.fail(start, "RESIGNAL stands in a handler");
    if (!has_state && !has_message) {
      raise.again = handling_.back();
    } else if (!has_state) {
      source_.unsupported(start, "RESIGNAL with another text is",
                          "SIGNAL SQLSTATE ... SET MESSAGE_TEXT");
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
