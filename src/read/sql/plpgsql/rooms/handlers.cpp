#include "read/sql/plpgsql/rooms/handlers.h"

#include <algorithm>
#include <utility>

#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {
namespace {

/// Nothing but RAISE, and what notices evaluate.
bool only_raises(const PlTry::Handler& handler) {
  return !handler.body.empty() &&
         std::holds_alternative<PlRaise>(handler.body.back().what) &&
         std::all_of(handler.body.begin(), handler.body.end(),
                     [](const PlStatement& s) {
                       return std::holds_alternative<PlRaise>(s.what) ||
                              std::holds_alternative<PlAssign>(s.what);
                     });
}

}  // namespace

/// condition [OR condition ...] up to THEN; empty: OTHERS.
std::vector<std::string> Handlers::conditions() {
  std::vector<std::string> result;
  bool has_others = false;
  do {
    const Span where = here();
    if (accept("others")) {
      has_others = true;
    } else if (accept("sqlstate")) {
      PlRaise code;
      if (peek().kind != TokenKind::String) {
        source_.fail(here(), "expected a SQLSTATE in quotes");
      }
      rooms_.raises.set_sqlstate(code, rooms_.raises.constant_text(at_++),
                                 where);
      result.push_back(code.sqlstate);
    } else {
      PlRaise code;
      rooms_.raises.set_sqlstate(code, name("the name of a condition"), where);
      result.push_back(code.sqlstate);
    }
  } while (accept("or"));
  expect("then");
  // OTHERS together with names is OTHERS, and what it leaves out by name.
  if (has_others) result.clear();
  return result;
}

void Handlers::handlers(PlBlock body, Span start, PlBlock& out) {
  ++at_;
  PlTry guarded;
  guarded.body = std::move(body);
  guarded.state_slot = builder_.add_slot("", kText, start);
  guarded.message_slot = builder_.add_slot("", kText, start);
  builder_.open_scope("");
  Binding state;
  state.slot = guarded.state_slot;
  state.is_constant = true;
  Binding message = state;
  message.slot = guarded.message_slot;
  builder_.declare("sqlstate", state, start);
  builder_.declare("sqlerrm", message, start);
  rooms_.handling.push_back({guarded.state_slot, guarded.message_slot});
  while (accept("when")) {
    PlTry::Handler& handler = guarded.handlers.emplace_back();
    handler.conditions = conditions();
    rooms_.blocks.statements(handler.body);
  }
  rooms_.handling.pop_back();
  builder_.close_scope();
  if (guarded.handlers.empty()) expect("when");
  guarded.raises_again = std::all_of(guarded.handlers.begin(),
                                     guarded.handlers.end(), only_raises);
  emit(out, start, std::move(guarded));
}

}  // namespace txscope::sql::plpgsql
