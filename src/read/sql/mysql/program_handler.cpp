// Handlers, SIGNAL, GET DIAGNOSTICS.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

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

const std::vector<std::string>& MysqlProgram::declared_condition() {
  const Span at = here();
  const std::string called = name("a condition");
  const auto found =
      std::find_if(conditions_.rbegin(), conditions_.rend(),
                   [&](const auto& each) { return each.first == called; });
  if (found == conditions_.rend())
    source_.fail(at, "unknown condition '" + called + "'");
  return found->second;
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
    states = declared_condition();
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

/// Something may go on after an error of a statement here: a handler around it,
/// or around a CALL of this routine.
bool MysqlProgram::is_caught() const {
  const bool is_called =
      source_.mysql()->catches_errors && !builder_.routine.is_function;
  return is_called ||
         std::any_of(
             handlers_.begin(),
             handlers_.begin() + static_cast<std::ptrdiff_t>(handled_),
             [](const HandlerLevel& level) {
               return std::any_of(
                   level.handlers.begin(), level.handlers.end(),
                   [](const Handler& each) { return each.is_for_errors; });
             });
}

/// P3: what a statement asks of the database becomes a sub-transaction.
void MysqlProgram::protect(PlBlock& body, Span at) const {
  if (!is_caught()) return;
  std::size_t end = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const auto& what = body[i].what;
    // What is tested before it, as values of EXECUTE are, is a part of it.
    if (std::holds_alternative<PlEnd>(what) ||
        (std::holds_alternative<PlIf>(what) && end > 0))
      break;
    if (std::holds_alternative<PlExecute>(what) ||
        std::holds_alternative<PlOpen>(what) ||
        std::holds_alternative<PlCall>(what))
      end = i + 1;
  }
  if (end == 0) return;
  PlTry nested;
  nested.raises_again = true;
  const auto last = body.begin() + static_cast<std::ptrdiff_t>(end);
  std::move(body.begin(), last, std::back_inserter(nested.body));
  body.erase(body.begin(), last);
  PlStatement made;
  made.at = at;
  made.what = std::move(nested);
  body.insert(body.begin(), std::move(made));
}

namespace {

/// ROLLBACK, and the error again, or another.
bool only_raises(const PlBlock& body) {
  const bool has_raise =
      std::any_of(body.begin(), body.end(), [](const PlStatement& s) {
        return std::holds_alternative<PlRaise>(s.what);
      });
  return has_raise &&
         std::all_of(body.begin(), body.end(), [](const PlStatement& s) {
           const auto* end = std::get_if<PlEnd>(&s.what);
           return (end != nullptr && !end->is_commit) ||
                  std::holds_alternative<PlRaise>(s.what) ||
                  std::holds_alternative<PlAssign>(s.what) ||
                  std::holds_alternative<PlExit>(s.what);
         });
}

}  // namespace

/// FOR is a loop there, and not HANDLER FOR, FOR UPDATE and the like.
bool MysqlProgram::begins_statement(std::size_t i) const {
  constexpr std::array<std::string_view, 8> kBefore = {
      ";", "begin", "then", "else", "do", "loop", "repeat", ":"};
  return i > 0 && std::any_of(kBefore.begin(), kBefore.end(),
                              [&](std::string_view word) {
                                return tokens_[i - 1].is(word);
                              });
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
    const bool opens =
        token.is("begin") || token.is("case") || token.is("loop") ||
        token.is("while") || (token.is("repeat") && !is("(", 1)) ||
        (token.is("for") && begins_statement(at_)) || is_if_statement(at_);
    if (opens && !is_after_end) ++depth;
  }
}

void MysqlProgram::run_handler(const Handler& handler, std::size_t level,
                               PlBlock& out) {
  const std::size_t back = at_;
  const std::size_t outer = std::exchange(handled_, level);
  // Blocks of the body have their own handlers and those further out.
  const auto first = handlers_.begin() + static_cast<std::ptrdiff_t>(level);
  std::vector<HandlerLevel> aside(std::make_move_iterator(first),
                                  std::make_move_iterator(handlers_.end()));
  handlers_.resize(level);
  at_ = handler.body;
  builder_.enter(false);
  {
    KnownBranches branches(texts_);
    statement(out);
    branches.next();
  }
  builder_.leave();
  std::move(aside.begin(), aside.end(), std::back_inserter(handlers_));
  at_ = back;
  handled_ = outer;
}

/// Those of a level, in the state that the transaction has here.
std::optional<MysqlTransaction> MysqlProgram::add_handlers(PlTry& guarded,
                                                           std::size_t level) {
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
  guarded.raises_again =
      std::all_of(guarded.handlers.begin(), guarded.handlers.end(),
                  [](const PlTry::Handler& h) { return only_raises(h.body); });
  handling_.pop_back();
  transaction_ = entry;
  if (ways.empty()) return std::nullopt;
  transaction_ = ways[0];
  for (const MysqlTransaction each : ways) join(each);
  return std::exchange(transaction_, entry);
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
  guarded.keeps_work = true;
  guarded.body = std::move(body);
  const MysqlTransaction entry = transaction_;
  for (std::size_t l = handled_; l-- > 0;) {
    (void)add_handlers(guarded, l);
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

}  // namespace txscope::sql
