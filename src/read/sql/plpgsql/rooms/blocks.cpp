#include "read/sql/plpgsql/rooms/blocks.h"

#include <array>
#include <utility>

#include "base/ascii.h"
#include "read/sql/plpgsql/rooms/rooms.h"
#include "read/sql/plpgsql/routine_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::plpgsql {

void Blocks::block(const std::string& label, PlBlock& out) {
  if (++rooms_.nesting > kDeepest) {
    source_.fail(here(), "blocks are nested too deeply here",
                 "at most " + std::to_string(kDeepest) + " levels");
  }
  const Span start = here();
  builder_.open_scope(label);
  const std::vector<std::size_t> outer_records =
      std::exchange(rooms_.declared_records, {});
  PlBlock body;
  if (accept("declare"))
    rooms_.declarations.declarations(body, rooms_.nesting > 1);
  expect("begin");
  PlBlock inside;
  PlBlock& into = label.empty() ? body : inside;
  if (!label.empty()) rooms_.labels.push_back(new_label(label, false));
  PlBlock own;
  statements(own);
  if (peek().is("exception")) {
    rooms_.handlers.handlers(std::move(own), start, into);
  } else {
    std::move(own.begin(), own.end(), std::back_inserter(into));
  }
  if (!label.empty()) {
    PlLabelled labelled;
    labelled.label = rooms_.labels.back().id;
    labelled.body = std::move(inside);
    rooms_.labels.pop_back();
    emit(body, start, std::move(labelled));
  }
  expect("end");
  if (peek().is_name() && !peek().is_reserved) {
    if (peek().word != label) {
      source_.fail(here(), "the label after END is not that of the block");
    }
    ++at_;
  }
  builder_.close_scope();
  --rooms_.nesting;
  if (rooms_.nesting > 0) reset_records(out, start);
  rooms_.declared_records = outer_records;
  std::move(body.begin(), body.end(), std::back_inserter(out));
}

/// A block that is entered again starts with fresh records.
void Blocks::reset_records(PlBlock& out, Span at) {
  for (const std::size_t which : rooms_.declared_records) {
    for (const Record::Field& field : builder_.record(which).fields) {
      builder_.assign(field.slot, constant({}, field.type, at), at, out);
    }
  }
}

void Blocks::statements(PlBlock& out, bool is_loop) {
  builder_.enter(is_loop);
  while (!peek().is("end") && !peek().is("exception") && !peek().is("else") &&
         !peek().is("elsif") && !peek().is("elseif") && !peek().is("when")) {
    if (at_ >= tokens_.size()) expect("end");
    statement(out);
  }
  builder_.leave();
}

void Blocks::statement(PlBlock& out) {
  std::string label;
  if (accept("<<")) {
    label = name("a label");
    expect(">>");
  }
  const Token& first = peek();
  const bool is_plain = first.kind == TokenKind::Word;
  const bool is_assignment =
      first.is_name() && (at(at_ + 1).is(":=") || at(at_ + 1).is("=") ||
                          at(at_ + 1).is(".") || at(at_ + 1).is("["));
  if (is_assignment && !first.is_reserved)
    return rooms_.assignments.assignment(out);
  const std::string_view word = is_plain ? first.word : std::string_view();
  if (word == "loop") return rooms_.controls.loop_statement(label, out);
  if (word == "while") return rooms_.controls.while_statement(label, out);
  if (word == "for") return rooms_.controls.for_statement(label, out);
  if (word == "foreach") return rooms_.controls.foreach_statement(label, out);
  if (word == "declare" || word == "begin") {
    block(label, out);
    expect(";");
    return;
  }
  if (!label.empty()) {
    source_.fail(here(), "a label must be before a block or a loop");
  }
  if (++rooms_.nesting > kDeepest) {
    source_.fail(here(), "statements are nested too deeply here",
                 "at most " + std::to_string(kDeepest) + " levels");
  }
  if (!simple_statement(word, out)) unsupported_statement(word);
  --rooms_.nesting;
}

bool Blocks::simple_statement(std::string_view word, PlBlock& out) {
  if (word == "if") {
    rooms_.controls.if_statement(out);
  } else if (word == "case") {
    rooms_.controls.case_statement(out);
  } else if (word == "exit" || word == "continue") {
    rooms_.controls.exit_statement(out, word == "continue");
  } else if (word == "return") {
    rooms_.returns.return_statement(out);
  } else if (word == "raise") {
    rooms_.raises.raise(out);
  } else if (word == "assert") {
    rooms_.raises.assertion(out);
  } else if (word == "get") {
    rooms_.diagnostics.get_diagnostics(out);
  } else if (word == "open") {
    rooms_.cursors.open_cursor(out);
  } else if (word == "fetch") {
    rooms_.cursors.fetch(out);
  } else if (word == "close") {
    rooms_.cursors.close_cursor(out);
  } else if (word == "savepoint") {
    rooms_.transactions.savepoint(PlSavepoint::Kind::Set, out);
  } else if (word == "set" && at(at_ + 1).is("constraints")) {
    rooms_.transactions.set_constraints(out);
  } else if (word == "set" && set_setting()) {
    return true;
  } else if (word == "release") {
    rooms_.transactions.savepoint(PlSavepoint::Kind::Release, out);
  } else if (word == "rollback" && at(at_ + 1).is("to")) {
    rooms_.transactions.savepoint(PlSavepoint::Kind::RollBackTo, out);
  } else if ((word == "commit" || word == "rollback") &&
             !builder_.routine.is_function && !builder_.is_script) {
    const Span start = here();
    ++at_;
    if (peek().is("and")) {
      source_.unsupported(here(), "AND CHAIN is");
    }
    expect(";");
    emit(out, start, PlEnd{word == "commit"});
  } else if (word == "refresh" && at(at_ + 1).is("materialized")) {
    // Who reads a materialized view is refused, so nobody sees it.
    builder_.catalog().assumed.insert(
        "REFRESH MATERIALIZED VIEW is left out: no session reads a "
        "materialized view");
    at_ = end_of_statement() + 1;
  } else if (word == "grant" || word == "revoke" || word == "comment" ||
             word == "notify" || word == "listen" || word == "unlisten" ||
             word == "analyze") {
    // Sessions run as a superuser, and nobody reads the rest.
    std::string name(word);
    for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
    builder_.catalog().assumed.insert(name +
                                      " in a routine changes no row: left out");
    at_ = end_of_statement() + 1;
  } else if (word == "null") {
    ++at_;
    expect(";");
  } else if (word == "perform") {
    rooms_.sql.perform(out);
  } else if (word == "call") {
    rooms_.sql.call(out);
  } else if (word == "execute") {
    rooms_.commands.execute_text(out);
  } else if (word == "select" || word == "insert" || word == "update" ||
             word == "delete" || word == "merge" || word == "with" ||
             word == "lock") {
    rooms_.sql.sql_statement(out);
  } else {
    return false;
  }
  return true;
}

/// SET of what changes no value, or of the search path that the body is read
/// with anyway.
bool Blocks::set_setting() {
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  const Node& node = tree.statement();
  if (node.node_case != PG_QUERY__NODE__NODE_VARIABLE_SET_STMT) return false;
  const PgQuery__VariableSetStmt& set = *node.variable_set_stmt;
  const Catalog& catalog = builder_.catalog();
  const auto path = search_path_of(set);
  // One schema beside public: no name means two things.
  const bool is_path =
      path && *path == catalog.path && catalog.schemas.size() <= 2;
  if (!is_path && !is_idle_setting(view(set.name))) return false;
  at_ = end + 1;
  return true;
}

void Blocks::unsupported_statement(std::string_view word) {
  struct Known {
    std::string_view word;
    std::string_view what;
    std::string_view hint;
  };
  constexpr std::array<Known, 10> kKnown = {{
      {"move", "MOVE is", "use FETCH"},
      {"commit", "COMMIT inside a function is",
       "a function runs in one transaction; use a procedure"},
      {"rollback", "ROLLBACK inside a function is", "use RAISE EXCEPTION"},
      {"do", "DO is", "write the statements themselves"},
      {"truncate", "TRUNCATE is", "use DELETE"},
      {"create", "DDL inside a routine is", ""},
      {"drop", "DDL inside a routine is", ""},
      {"alter", "DDL inside a routine is", ""},
      {"set", "SET is", ""},
      {"values", "VALUES as a statement is", "use SELECT"},
  }};
  for (const Known& known : kKnown) {
    if (known.word == word) {
      source_.unsupported(here(), known.what, std::string(known.hint));
    }
  }
  if (at_ >= tokens_.size()) expect("end");
  source_.fail(here(), "expected a statement, not '" +
                           std::string(source_.text(here())) + "'");
}

}  // namespace txscope::sql::plpgsql
