#include "read/sql/plpgsql/rooms/commands.h"

#include <algorithm>
#include <utility>

#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/quotes.h"

namespace txscope::sql::plpgsql {
namespace {

/// Whether the end of a text stands inside of quotes.
bool is_quoted_at_end(std::string_view text) {
  return std::count(text.begin(), text.end(), '\'') % 2 != 0;
}

}  // namespace

/// The tokens [from, to) without parentheses around all of them, and without
/// ::text behind.
void Commands::trim_text(std::size_t& from, std::size_t& to) const {
  for (bool goes_on = true; goes_on && to > from;) {
    goes_on = false;
    if (to > from + 2 && at(to - 1).is("text") && at(to - 2).is("::")) {
      to -= 2;
      goes_on = true;
    }
    if (!at(from).is("(") || !at(to - 1).is(")")) continue;
    int depth = 0;
    std::size_t close = from;
    for (; close < to; ++close) {
      if (at(close).is("(")) ++depth;
      if (at(close).is(")") && --depth == 0) break;
    }
    if (close + 1 != to) continue;
    ++from;
    --to;
    goes_on = true;
  }
}

/// The ends of the parts of [from, to) that `separator` parts, outside of
/// parentheses; the last is `to`.
std::vector<std::size_t> Commands::parts(std::size_t from, std::size_t to,
                                         std::string_view separator) const {
  std::vector<std::size_t> ends;
  int depth = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (at(i).is("(") || at(i).is("[")) ++depth;
    if (at(i).is(")") || at(i).is("]")) --depth;
    if (depth == 0 && at(i).is(separator)) ends.push_back(i);
  }
  ends.push_back(to);
  return ends;
}

/// The text that the tokens always give; none: it depends on values.
std::optional<std::string> Commands::fixed_text(std::size_t from,
                                                std::size_t to) const {
  trim_text(from, to);
  if (to == from + 1 && at(from).kind == TokenKind::String) {
    return unquoted(source_.text(text(from, to)));
  }
  if (to == from + 1 && at(from).is_name()) {
    if (auto known = builder_.constant_text(at(from).word)) return known;
    return known_text(at(from).word, from);
  }
  const bool is_argument = to == from + 4 && at(from).is("tg_argv") &&
                           at(from + 1).is("[") &&
                           at(from + 2).kind == TokenKind::Number;
  if (is_argument && builder_.is_trigger) {
    return builder_.trigger_argument(static_cast<std::size_t>(std::atoi(
        std::string(source_.text(text(from + 2, from + 3))).c_str())));
  }
  const std::vector<std::size_t> ends = parts(from, to, "||");
  if (ends.size() < 2) return std::nullopt;
  std::string all;
  for (const std::size_t end : ends) {
    const auto part = fixed_text(from, end);
    if (!part) return std::nullopt;
    all += *part;
    from = end + 1;
  }
  return all;
}

/// Where a value stands in the statement: as a parameter of its own.
void Commands::add_value(Command& command, Command::Place place,
                         std::size_t from, std::size_t to, PlBlock& out) {
  const Span span = text(from, to);
  if (is_quoted_at_end(command.text)) {
    source_.unsupported(span, "EXECUTE with a value inside quotes is",
                        "use %L or USING");
  }
  Expr value = decided(source_, builder_.expression(tokens_, span, out));
  const bool is_spliced =
      place == Command::Place::Formatted || place == Command::Place::Joined;
  if (is_spliced && !is_integer(value.type.name)) {
    source_.unsupported(span, "EXECUTE of a text that is computed is",
                        "the names of tables and columns must be constants, "
                        "and values belong in USING");
  }
  if (is_spliced && command.text.ends_with('-')) {
    source_.unsupported(span, "a number after '-' in EXECUTE is",
                        "put a space between them");
  }
  // A small number in a text is an integer.
  const Type type =
      value.type.name == TypeName::SmallInt ? kInteger : bare(value.type);
  const std::uint32_t slot = builder_.add_slot("", type, span);
  builder_.assign(slot, std::move(value), span, out);
  if (place != Command::Place::Literal) {
    // Without the value it is another text: none at all, or no SQL.
    PlIf test;
    PlIf::Arm& arm = test.arms.emplace_back();
    Expr variable = slot_value(slot, type, span);
    arm.condition.op = Op::IsNull;
    arm.condition.type = kBoolean;
    arm.condition.at = span;
    arm.condition.args.push_back(std::move(variable));
    PlRaise raise;
    const bool is_null = place != Command::Place::Formatted;
    raise.sqlstate = is_null ? "22004" : "42601";
    raise.message =
        is_null ? "query string argument of EXECUTE is null" : "syntax error";
    emit(arm.body, span, std::move(raise));
    emit(out, span, std::move(test));
  }
  command.holes.emplace_back(command.text.size(), Names::Found{slot, type});
  command.text += "   ";
}

/// format(text, ...): %s, %I, %L, %1$s and %%.
void Commands::add_format(Command& command, std::size_t from, std::size_t to,
                          PlBlock& out) {
  const std::vector<std::size_t> ends = parts(from, to, ",");
  const auto format = fixed_text(from, ends[0]);
  if (!format) {
    source_.unsupported(text(from, ends[0]),
                        "EXECUTE of a text that is computed is",
                        "write the text of format() as a constant");
  }
  const std::string& shape = *format;
  std::size_t next = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != '%' || i + 1 >= shape.size()) {
      command.text += shape[i];
      continue;
    }
    ++i;
    if (shape[i] == '%') {
      command.text += '%';
      continue;
    }
    std::size_t digits = i;
    while (digits < shape.size() && shape[digits] >= '0' &&
           shape[digits] <= '9')
      ++digits;
    if (digits > i && digits + 1 < shape.size() && shape[digits] == '$') {
      next = static_cast<std::size_t>(
          std::atoi(shape.substr(i, digits - i).c_str()));
      i = digits + 1;
    }
    const char kind = shape[i];
    if ((kind != 's' && kind != 'I' && kind != 'L') || next == 0 ||
        next >= ends.size()) {
      source_.unsupported(text(from, to), "this format() in EXECUTE is",
                          "%s, %I and %L are");
    }
    const std::size_t first = ends[next - 1] + 1;
    const std::size_t last = ends[next];
    ++next;
    if (const auto fixed = fixed_text(first, last)) {
      command.text += kind == 'I'   ? name_in_quotes(*fixed)
                      : kind == 'L' ? value_in_quotes(*fixed)
                                    : *fixed;
    } else if (kind == 'I') {
      source_.unsupported(text(first, last),
                          "EXECUTE with a name that is computed is",
                          "the names of tables and columns must be constants");
    } else {
      add_value(
          command,
          kind == 'L' ? Command::Place::Literal : Command::Place::Formatted,
          first, last, out);
    }
  }
}

void Commands::add_text(Command& command, std::size_t from, std::size_t to,
                        PlBlock& out) {
  trim_text(from, to);
  if (const auto fixed = fixed_text(from, to)) {
    command.text += *fixed;
    return;
  }
  const std::vector<std::size_t> ends = parts(from, to, "||");
  if (ends.size() > 1) {
    for (const std::size_t end : ends) {
      add_text(command, from, end, out);
      from = end + 1;
    }
    return;
  }
  const auto is_call = [&](std::string_view name) {
    return to > from + 3 && at(from).is(name) && at(from + 1).is("(") &&
           at(to - 1).is(")") && builder_.catalog().routine(name) == nullptr;
  };
  if (is_call("format")) return add_format(command, from + 2, to - 1, out);
  if (is_call("quote_literal")) {
    return add_value(command, Command::Place::Quoted, from + 2, to - 1, out);
  }
  if (is_call("quote_nullable")) {
    return add_value(command, Command::Place::Literal, from + 2, to - 1, out);
  }
  if (is_call("quote_ident")) {
    if (const auto fixed = fixed_text(from + 2, to - 1)) {
      command.text += name_in_quotes(*fixed);
      return;
    }
  }
  add_value(command, Command::Place::Joined, from, to, out);
}

/// The statement of EXECUTE text [INTO [STRICT] targets] [USING values], which
/// ends before `end`.
Commands::Command Commands::read_command(std::size_t end, PlBlock& out) {
  const Span start = here();
  expect("execute");
  Command command;
  const std::size_t text_end =
      std::min(parts(at_, end, "into")[0], parts(at_, end, "using")[0]);
  add_text(command, at_, text_end, out);
  at_ = text_end;
  std::vector<Names::Found> values;
  while (at_ < end) {
    if (peek().is("into")) {
      const std::size_t from = at_++;
      command.is_strict = accept("strict");
      command.targets = rooms_.assignments.targets(at_, end);
      command.into = text(from, at_);
    } else if (accept("using")) {
      const std::size_t last = parts(at_, end, "into")[0];
      for (const std::size_t stop : parts(at_, last, ",")) {
        Expr value = decided(source_, expression_until(stop, out));
        const Type type = bare(value.type);
        const Span span = value.at;
        const std::uint32_t slot = builder_.add_slot("", type, span);
        builder_.assign(slot, std::move(value), start, out);
        values.push_back({slot, type});
        at_ = stop + 1;
      }
      at_ = last;
    } else {
      source_.fail(here(), "expected INTO, USING or the end of EXECUTE");
    }
  }
  // The values of format() are parameters behind those of USING.
  std::string made;
  std::size_t from = 0;
  for (const auto& [offset, found] : command.holes) {
    values.push_back(found);
    made += command.text.substr(from, offset - from) + " $" +
            std::to_string(values.size()) + " ";
    from = offset + 3;
  }
  command.text = made + command.text.substr(from);
  command.at =
      source_.append(command.text, source_.span(start, text(end - 1, end)));
  command.tokens = scan(source_, command.text, command.at);
  command.values = std::move(values);
  while (!command.tokens.list.empty() && command.tokens.list.back().is(";")) {
    command.tokens.list.pop_back();
  }
  if (command.tokens.list.empty()) {
    source_.unsupported(start, "EXECUTE of nothing is");
  }
  command.text.resize(command.tokens.list.back().end() - command.at);
  return command;
}

DbStatement Commands::statement_of(const Command& command, PlBlock& out) {
  const Tree tree =
      parse_statement(source_, command.tokens.list, command.text, command.at);
  builder_.see_only(command.values);
  DbStatement statement = builder_.statement(tree, out);
  builder_.see_all();
  return statement;
}

DbStatement Commands::query_until(std::size_t end, PlBlock& out) {
  if (peek().is("execute")) return statement_of(read_command(end, out), out);
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  return builder_.statement(tree, out);
}

/// EXECUTE as a statement leaves FOUND as it is.
void Commands::execute_text(PlBlock& out) {
  const Span start = here();
  const std::size_t end = end_of_statement();
  const Command command = read_command(end, out);
  const Tree tree =
      parse_statement(source_, command.tokens.list, command.text, command.at);
  const auto copy = [&](std::uint32_t from, std::uint32_t to) {
    Expr value = slot_value(from, kBoolean, start);
    builder_.assign(to, std::move(value), start, out);
  };
  const std::uint32_t found = builder_.add_slot("", kBoolean, start);
  copy(kFoundSlot, found);
  const std::size_t first = out.size();
  builder_.see_only(command.values);
  builder_.execute(tree, command.into, command.targets, command.is_strict,
                   false, out);
  builder_.see_all();
  for (std::size_t i = first; i < out.size(); ++i) {
    // INTO is no part of the statement's text.
    if (auto* execute = std::get_if<PlExecute>(&out[i].what))
      execute->statement.into.reset();
  }
  copy(found, kFoundSlot);
  at_ = end + 1;
}

}  // namespace txscope::sql::plpgsql
