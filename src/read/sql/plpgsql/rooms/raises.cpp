#include "read/sql/plpgsql/rooms/raises.h"

#include <algorithm>
#include <array>
#include <utility>

#include "read/sql/plpgsql/conditions.h"
#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {
namespace {

/// How many arguments a format takes: its single % signs.
std::size_t arguments_of(std::string_view format) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (i + 1 < format.size() && format[i + 1] == '%') {
      ++i;
    } else {
      ++count;
    }
  }
  return count;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '%') result += '%';
    result += c;
  }
  return result;
}

}  // namespace

/// A string as PostgreSQL's parser reads it.
std::string Raises::constant_text(std::size_t i) {
  PlBlock none;
  return builder_.expression(tokens_, text(i, i + 1), none).value.text();
}

void Raises::set_sqlstate(PlRaise& raise, std::string_view code,
                          Span where) const {
  if (is_sqlstate(code)) {
    raise.sqlstate = code;
    return;
  }
  raise.sqlstate = sqlstate_of(code);
  if (raise.sqlstate.empty()) {
    source_.fail(where, "unknown condition '" + std::string(code) + "'",
                 "write the SQLSTATE, five digits or capital letters");
  }
}

void Raises::raise(PlBlock& out) {
  const Span start = here();
  ++at_;
  if (accept(";")) {
    if (rooms_.handling.empty()) {
      source_.fail(
          start,
          "RAISE without a message is allowed only in an EXCEPTION handler");
    }
    PlRaise again;
    again.again = rooms_.handling.back();
    emit(out, start, std::move(again));
    return;
  }
  bool is_exception = true;
  for (const std::string_view level :
       {"debug", "log", "info", "notice", "warning", "exception"}) {
    if (peek().is(level)) {
      is_exception = level == "exception";
      ++at_;
      break;
    }
  }
  PlRaise result;
  raise_message(result, out);
  if (accept("using")) raise_options(result, out);
  expect(";");
  if (is_exception) {
    emit(out, start, std::move(result));
    return;
  }
  // A notice changes nothing, but its arguments are evaluated and may fail.
  for (Expr& argument : result.arguments) {
    if (argument.op == Op::Variable || argument.op == Op::Constant) continue;
    const Type type = argument.type;
    builder_.assign(builder_.add_slot("", type, start), std::move(argument),
                    start, out);
  }
}

/// ASSERT condition [, message]
void Raises::assertion(PlBlock& out) {
  const Span start = here();
  ++at_;
  const std::size_t comma = find({",", ";"});
  PlIf otherwise;
  PlIf::Arm& holds = otherwise.arms.emplace_back();
  const Span condition = text(at_, comma);
  holds.condition = builder_.condition(tokens_, condition, out, "ASSERT");
  at_ = comma;
  PlRaise failure;
  failure.sqlstate = "P0004";
  failure.message = "assertion failed";
  if (accept(",")) {
    failure.message = "%";
    failure.arguments.push_back(decided(
        source_, expression_until(end_of_statement(), otherwise.otherwise)));
  }
  expect(";");
  emit(otherwise.otherwise, start, std::move(failure));
  emit(out, source_.span(start, condition), std::move(otherwise));
}

/// 'format', arguments | SQLSTATE 'code' | condition
void Raises::raise_message(PlRaise& raise, PlBlock& out) {
  const Span where = here();
  if (peek().kind == TokenKind::String) {
    raise.message = constant_text(at_++);
    const std::size_t end = end_of_statement();
    while (accept(",")) {
      const std::size_t next = std::min(find({",", "using", ";"}), end);
      raise.arguments.push_back(decided(source_, expression_until(next, out)));
    }
    const std::size_t wanted = arguments_of(raise.message);
    if (wanted != raise.arguments.size()) {
      source_.fail(where,
                   wanted > raise.arguments.size()
                       ? "too few parameters for RAISE"
                       : "too many parameters for RAISE",
                   "one for each % in the message");
    }
  } else if (accept("sqlstate")) {
    const Span at_code = here();
    raise.message =
        peek().kind == TokenKind::String ? constant_text(at_++) : "";
    if (!is_sqlstate(raise.message)) {
      source_.fail(at_code, "this is not a SQLSTATE");
    }
    raise.sqlstate = raise.message;
  } else if (!peek().is("using") && !peek().is(";")) {
    raise.message = name("a message or the name of a condition");
    set_sqlstate(raise, raise.message, where);
  }
}

/// USING option = value, ...
void Raises::raise_options(PlRaise& raise, PlBlock& out) {
  do {
    const std::string option = name("an option of RAISE");
    if (!accept("=") && !accept(":=")) expect("=");
    const std::size_t next = find({",", ";"});
    const Span where = text(at_, next);
    if (option == "errcode") {
      if (next != at_ + 1 || peek().kind != TokenKind::String) {
        source_.unsupported(where, "an ERRCODE that is not a constant is");
      }
      set_sqlstate(raise, constant_text(at_), where);
      at_ = next;
    } else if (option == "message") {
      Expr e = decided(source_, expression_until(next, out));
      if (e.op == Op::Constant && e.value.kind() == Kind::Text) {
        raise.message = escaped(e.value.text());
      } else {
        raise.message = "%";
        raise.arguments = {std::move(e)};
      }
    } else if (option == "detail" || option == "hint" || option == "column" ||
               option == "constraint" || option == "datatype" ||
               option == "table" || option == "schema") {
      (void)expression_until(next, out);
    } else {
      source_.fail(where, "unknown option '" + option + "' of RAISE");
    }
  } while (accept(","));
}

}  // namespace txscope::sql::plpgsql
