// EXCEPTION WHEN ... THEN ..., and savepoints.

#include <algorithm>
#include <utility>

#include "read/sql/plpgsql/reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
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
std::vector<std::string> PlReader::conditions() {
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
      set_sqlstate(code, constant_text(at_++), where);
      result.push_back(code.sqlstate);
    } else {
      PlRaise code;
      set_sqlstate(code, name("the name of a condition"), where);
      result.push_back(code.sqlstate);
    }
  } while (accept("or"));
  expect("then");
  // OTHERS together with names is OTHERS, and what it leaves out by name.
  if (has_others) result.clear();
  return result;
}

void PlReader::handlers(PlBlock body, Span start, PlBlock& out) {
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
  handling_.push_back({guarded.state_slot, guarded.message_slot});
  while (accept("when")) {
    PlTry::Handler& handler = guarded.handlers.emplace_back();
    handler.conditions = conditions();
    statements(handler.body);
  }
  handling_.pop_back();
  builder_.close_scope();
  if (guarded.handlers.empty()) expect("when");
  guarded.raises_again = std::all_of(guarded.handlers.begin(),
                                     guarded.handlers.end(), only_raises);
  emit(out, start, std::move(guarded));
}

/// GET STACKED DIAGNOSTICS v = item, ...;
void PlReader::stacked_diagnostics(Span start, PlBlock& out) {
  if (handling_.empty()) {
    source_.fail(start,
                 "GET STACKED DIAGNOSTICS stands in an EXCEPTION handler");
  }
  do {
    Span where;
    const Binding target = assignable(at_, where);
    if (!accept(":=") && !accept("=")) expect("=");
    const bool is_state = peek().is("returned_sqlstate");
    if (target.kind != Binding::Kind::Scalar ||
        (!is_state && !peek().is("message_text"))) {
      source_.unsupported(here(), "this item of GET STACKED DIAGNOSTICS is",
                          "RETURNED_SQLSTATE and MESSAGE_TEXT are");
    }
    ++at_;
    Expr value;
    value.op = Op::Variable;
    value.type = kText;
    value.index =
        is_state ? handling_.back().state_slot : handling_.back().message_slot;
    value.at = where;
    builder_.assign(target.slot, std::move(value), start, out);
  } while (accept(","));
  expect(";");
}

/// RETURN NEW, OLD or NULL, or whichever of NEW and OLD there is.
void PlReader::return_from_trigger(Span start, PlBlock& out) {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const TriggerSlots slots;
  const auto give = [&](std::int64_t which, PlBlock& to) {
    builder_.assign(slots.result,
                    constant(Value::integer(which), kInteger, span), start, to);
  };
  const bool is_word = end == at_ + 1;
  const auto fields = is_word && peek().is_name()
                          ? builder_.record(peek().word, span)
                          : std::vector<Names::Found>();
  if (is_word && peek().is("new")) {
    give(1, out);
  } else if (is_word && peek().is("old")) {
    give(2, out);
  } else if (is_word && peek().is("null")) {
    give(0, out);
  } else if (end == at_ + 6 && peek().is("coalesce") && at(at_ + 2).is("new") &&
             at(at_ + 4).is("old")) {
    PlIf which;
    PlIf::Arm& arm = which.arms.emplace_back();
    arm.condition = is_operation("DELETE", span);
    give(2, arm.body);
    give(1, which.otherwise);
    emit(out, start, std::move(which));
  } else if (!fields.empty() &&
             fields.size() == builder_.record("new", span).size()) {
    // A record that is no NULL: the row is what it has.
    PlIf which;
    PlIf::Arm& arm = which.arms.emplace_back();
    arm.condition = is_operation("DELETE", span);
    give(2, arm.body);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Expr value;
      value.op = Op::Variable;
      value.type = fields[i].type;
      value.index = fields[i].slot;
      value.at = span;
      builder_.assign(slots.new_row + static_cast<std::uint32_t>(i),
                      std::move(value), start, which.otherwise);
    }
    give(1, which.otherwise);
    emit(out, start, std::move(which));
  } else {
    source_.unsupported(span, "this value of a trigger's function is",
                        "RETURN NEW, OLD or NULL");
  }
  at_ = end;
  expect(";");
  emit(out, start, PlReturn{});
}

/// SAVEPOINT name, RELEASE [SAVEPOINT] name, ROLLBACK TO [SAVEPOINT] name.
void PlReader::savepoint(PlSavepoint::Kind kind, PlBlock& out) {
  const Span start = here();
  if (!builder_.is_script || nesting_ > 1) {
    source_.unsupported(start, "a savepoint inside a routine or a block is",
                        "use BEGIN ... EXCEPTION ... END");
  }
  ++at_;
  if (kind == PlSavepoint::Kind::RollBackTo) expect("to");
  if (kind != PlSavepoint::Kind::Set) (void)accept("savepoint");
  PlSavepoint point;
  point.kind = kind;
  const Span where = here();
  point.name = name("the name of a savepoint");
  expect(";");
  const auto found =
      std::find(savepoints_.rbegin(), savepoints_.rend(), point.name);
  if (kind == PlSavepoint::Kind::Set) {
    savepoints_.push_back(point.name);
  } else if (found == savepoints_.rend()) {
    source_.fail(where, "there is no savepoint '" + point.name + "' here");
  } else {
    savepoints_.erase(
        kind == PlSavepoint::Kind::Release ? found.base() - 1 : found.base(),
        savepoints_.end());
  }
  emit(out, start, std::move(point));
}

void PlReader::set_constraints(PlBlock& out) {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  builder_.set_constraints(tree, out);
  at_ = end + 1;
}

}  // namespace txscope::sql
