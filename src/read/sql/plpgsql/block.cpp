#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/suggest.h"
#include "read/sql/plpgsql/reader.h"
#include "read/sql/plpgsql/routine_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

/// Words that PL/pgSQL reserves and SQL does not.
constexpr std::array<std::string_view, 9> kReserved = {
    "begin", "by",   "declare", "execute", "foreach",
    "if",    "loop", "strict",  "while"};

}  // namespace

std::string PlReader::name(std::string_view what) {
  const Token& token = peek();
  const bool is_keyword = token.kind == TokenKind::Word &&
                          std::find(kReserved.begin(), kReserved.end(),
                                    token.word) != kReserved.end();
  if (!token.is_name() || token.is_reserved || is_keyword) {
    source_.fail(here(), "expected " + std::string(what));
  }
  ++at_;
  return token.word;
}

std::size_t PlReader::find(
    std::initializer_list<std::string_view> words) const {
  int depth = 0;
  for (std::size_t i = at_; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (depth == 0) {
      for (const std::string_view word : words) {
        if (token.is(word)) return i;
      }
    }
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (token.is(";") && depth <= 0) break;
  }
  std::string wanted;
  for (const std::string_view word : words) {
    if (!wanted.empty()) wanted += " or ";
    wanted += word == ";" ? "';'" : std::string(word);
  }
  source_.fail(here(), "expected " + ascii::upper(wanted) + " after this");
}

Span PlReader::text(std::size_t from, std::size_t to) const {
  if (from >= to) {
    source_.fail(from < tokens_.size()
                     ? source_.span(tokens_[from].offset, tokens_[from].length)
                     : here(),
                 "expected an expression");
  }
  return source_.span(tokens_[from].offset,
                      tokens_[to - 1].end() - tokens_[from].offset);
}

Expr PlReader::expression_until(std::size_t end, PlBlock& before) {
  const Span span = text(at_, end);
  at_ = end;
  return builder_.expression(tokens_, span, before);
}

PlBlock PlReader::read() {
  PlBlock body;
  std::string label;
  if (accept("<<")) {
    label = name("a label");
    expect(">>");
  }
  if (peek().is("#")) {
    ++at_;
    const std::string what = name("a directive");
    const std::string how = name("how it is meant");
    if (what != "variable_conflict" || how == "use_variable") {
      source_.unsupported(here(), "the directive #" + what + " " + how + " is",
                          "give variables names that no column has");
    }
    builder_.has_sql_rules = how == "use_column";
  }
  if (!peek().is("declare") && !peek().is("begin")) {
    source_.fail(here(), "expected DECLARE or BEGIN",
                 "a PL/pgSQL body is [DECLARE ...] BEGIN ... END");
  }
  block(label, body);
  (void)accept(";");
  if (at_ < tokens_.size()) {
    source_.fail(here(), "unexpected '" + std::string(source_.text(here())) +
                             "' after the end of the routine");
  }
  return body;
}

PlBlock PlReader::read_statements() {
  PlBlock body;
  builder_.enter(false);
  while (at_ < tokens_.size()) statement(body);
  builder_.leave();
  return body;
}

PlReader::Label PlReader::new_label(const std::string& name, bool is_loop) {
  return {name, builder_.add_label(), is_loop};
}

void PlReader::block(const std::string& label, PlBlock& out) {
  if (++nesting_ > kDeepest) {
    source_.fail(here(), "blocks are nested too deeply here",
                 "at most " + std::to_string(kDeepest) + " levels");
  }
  const Span start = here();
  builder_.open_scope(label);
  const std::vector<std::size_t> outer_records =
      std::exchange(declared_records_, {});
  PlBlock body;
  if (accept("declare")) declarations(body, nesting_ > 1);
  expect("begin");
  PlBlock inside;
  PlBlock& into = label.empty() ? body : inside;
  if (!label.empty()) labels_.push_back(new_label(label, false));
  PlBlock own;
  statements(own);
  if (peek().is("exception")) {
    handlers(std::move(own), start, into);
  } else {
    std::move(own.begin(), own.end(), std::back_inserter(into));
  }
  if (!label.empty()) {
    PlLabelled labelled;
    labelled.label = labels_.back().id;
    labelled.body = std::move(inside);
    labels_.pop_back();
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
  --nesting_;
  if (nesting_ > 0) reset_records(out, start);
  declared_records_ = outer_records;
  std::move(body.begin(), body.end(), std::back_inserter(out));
}

/// A block that is entered again starts with fresh records.
void PlReader::reset_records(PlBlock& out, Span at) {
  for (const std::size_t which : declared_records_) {
    for (const Record::Field& field : builder_.record(which).fields) {
      builder_.assign(field.slot, constant({}, field.type, at), at, out);
    }
  }
}

void PlReader::statements(PlBlock& out, bool is_loop) {
  builder_.enter(is_loop);
  while (!peek().is("end") && !peek().is("exception") && !peek().is("else") &&
         !peek().is("elsif") && !peek().is("elseif") && !peek().is("when")) {
    if (at_ >= tokens_.size()) expect("end");
    statement(out);
  }
  builder_.leave();
}

void PlReader::statement(PlBlock& out) {
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
  if (is_assignment && !first.is_reserved) return assignment(out);
  const std::string_view word = is_plain ? first.word : std::string_view();
  if (word == "loop") return loop_statement(label, out);
  if (word == "while") return while_statement(label, out);
  if (word == "for") return for_statement(label, out);
  if (word == "foreach") return foreach_statement(label, out);
  if (word == "declare" || word == "begin") {
    block(label, out);
    expect(";");
    return;
  }
  if (!label.empty()) {
    source_.fail(here(), "a label stands before a block or a loop");
  }
  if (++nesting_ > kDeepest) {
    source_.fail(here(), "statements are nested too deeply here",
                 "at most " + std::to_string(kDeepest) + " levels");
  }
  if (!simple_statement(word, out)) unsupported_statement(word);
  --nesting_;
}

bool PlReader::simple_statement(std::string_view word, PlBlock& out) {
  if (word == "if") {
    if_statement(out);
  } else if (word == "case") {
    case_statement(out);
  } else if (word == "exit" || word == "continue") {
    exit_statement(out, word == "continue");
  } else if (word == "return") {
    return_statement(out);
  } else if (word == "raise") {
    raise(out);
  } else if (word == "assert") {
    assertion(out);
  } else if (word == "get") {
    get_diagnostics(out);
  } else if (word == "open") {
    open_cursor(out);
  } else if (word == "fetch") {
    fetch(out);
  } else if (word == "close") {
    close_cursor(out);
  } else if (word == "savepoint") {
    savepoint(PlSavepoint::Kind::Set, out);
  } else if (word == "set" && at(at_ + 1).is("constraints")) {
    set_constraints(out);
  } else if (word == "set" && set_setting()) {
    return true;
  } else if (word == "release") {
    savepoint(PlSavepoint::Kind::Release, out);
  } else if (word == "rollback" && at(at_ + 1).is("to")) {
    savepoint(PlSavepoint::Kind::RollBackTo, out);
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
        "REFRESH MATERIALIZED VIEW is left out: nobody reads one here");
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
    perform(out);
  } else if (word == "call") {
    call(out);
  } else if (word == "execute") {
    execute_text(out);
  } else if (word == "select" || word == "insert" || word == "update" ||
             word == "delete" || word == "merge" || word == "with" ||
             word == "lock") {
    sql_statement(out);
  } else {
    return false;
  }
  return true;
}

/// SET of what changes no value, or of the search path that the body is read
/// with anyway.
bool PlReader::set_setting() {
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

void PlReader::unsupported_statement(std::string_view word) {
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

}  // namespace txscope::sql
