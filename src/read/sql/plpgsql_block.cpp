#include <algorithm>
#include <array>
#include <utility>

#include "base/suggest.h"
#include "read/sql/plpgsql.h"

namespace txscope::sql {
namespace {

constexpr std::uint32_t kDeepest = 100;

const Token kEnd;

/// Words that PL/pgSQL reserves and SQL does not.
constexpr std::array<std::string_view, 9> kReserved = {
    "begin", "by",   "declare", "execute", "foreach",
    "if",    "loop", "strict",  "while"};

}  // namespace

const Token& PlReader::at(std::size_t i) const {
  return i < tokens_.size() ? tokens_[i] : kEnd;
}

const Token& PlReader::peek() const { return at(at_); }

Span PlReader::here() const {
  if (at_ < tokens_.size()) {
    return source_.span(tokens_[at_].offset, tokens_[at_].length);
  }
  if (tokens_.empty()) return builder_.routine.at;
  return source_.span(tokens_.back().end(), 0);
}

bool PlReader::accept(std::string_view word) {
  if (!peek().is(word)) return false;
  ++at_;
  return true;
}

void PlReader::expect(std::string_view word) {
  if (accept(word)) return;
  std::string upper(word);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  const std::string found = at_ < tokens_.size()
                                ? "'" + std::string(source_.text(here())) + "'"
                                : "the end of the routine";
  source_.fail(here(), "expected " + upper + ", not " + found);
}

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
  for (char& c : wanted) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  source_.fail(here(), "expected " + wanted + " after this");
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
    source_.unsupported(here(), "a directive (#variable_conflict) is",
                        "give variables names that no column has");
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
  if (!label.empty()) {
    labels_.push_back(new_label(label, false));
    const LabelId id = labels_.back().id;
    PlLabelled labelled;
    labelled.label = id;
    statements(labelled.body);
    labels_.pop_back();
    emit(body, start, std::move(labelled));
  } else {
    statements(body);
  }
  if (peek().is("exception")) {
    source_.unsupported(here(), "EXCEPTION blocks are",
                        "let the transaction fail, or test before you write");
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

void PlReader::declarations(PlBlock& out, bool is_nested) {
  while (!peek().is("begin")) {
    if (accept("declare")) continue;
    if (at_ >= tokens_.size()) expect("begin");
    declaration(out, is_nested);
  }
}

void PlReader::declaration(PlBlock& out, bool is_nested) {
  const Span where = here();
  const std::string variable = name("the name of a variable, or BEGIN");
  const bool is_constant = accept("constant");
  if (peek().is("alias")) {
    ++at_;
    expect("for");
    const std::size_t end = end_of_statement();
    const Span old = text(at_, end);
    const std::string_view word = source_.text(old);
    Binding alias;
    if (word.starts_with('$')) {
      const auto found = builder_.parameter(static_cast<std::uint32_t>(
          std::atoi(std::string(word.substr(1)).c_str())));
      if (!found) {
        source_.fail(old, "there is no parameter " + std::string(word));
      }
      alias.slot = found->slot;
    } else {
      const std::array<std::string, 1> plain = {at(at_).word};
      const Binding* found = builder_.binding(plain);
      if (found == nullptr) {
        source_.fail(old, "unknown variable '" + std::string(word) + "'");
      }
      alias = *found;
    }
    at_ = end + 1;
    builder_.declare(variable, alias, where);
    return;
  }
  if (peek().is("cursor") || peek().is("scroll") ||
      (peek().is("no") && at(at_ + 1).is("scroll"))) {
    cursor_declaration(variable, where);
    return;
  }
  scalar_declaration(variable, where, is_constant, out, is_nested);
}

void PlReader::cursor_declaration(const std::string& name, Span where) {
  if (accept("no")) expect("scroll");
  if (peek().is("scroll")) {
    source_.unsupported(here(), "SCROLL cursors are", "use FETCH NEXT");
  }
  expect("cursor");
  const std::size_t which = builder_.add_cursor(name, true);
  builder_.open_scope("");
  if (accept("(")) {
    do {
      const Span at_name = here();
      const std::string parameter = this->name("a parameter's name");
      const std::size_t end = find({",", ")"});
      const Type type = declared_type(at_, end);
      at_ = end;
      Binding binding;
      binding.slot = builder_.add_slot(parameter, type, at_name);
      builder_.declare(parameter, binding, at_name);
      builder_.cursor(which).parameters.push_back(
          {parameter, binding.slot, type});
    } while (accept(","));
    expect(")");
  }
  if (!accept("for")) expect("is");
  const std::size_t end = end_of_statement();
  const Span span = text(at_, end);
  const Tree tree =
      parse_statement(source_, tokens_, source_.text(span), span.offset);
  PlBlock before;
  DbStatement query = builder_.statement(tree, before);
  if (!before.empty() || !query.is_select()) {
    source_.unsupported(span, "a cursor for this is",
                        "a cursor is for a SELECT");
  }
  check_no_lock(query, span);
  builder_.close_scope();
  Cursor& cursor = builder_.cursor(which);
  cursor.columns = RoutineBuilder::columns(query);
  cursor.query = std::move(query);
  at_ = end + 1;
  Binding binding;
  binding.kind = Binding::Kind::Cursor;
  binding.which = which;
  builder_.declare(name, binding, where);
}

void PlReader::check_no_lock(const DbStatement& query, Span at) const {
  if (std::get<Select>(query.what)->lock == LockStrength::None) return;
  source_.unsupported(at, "a cursor FOR UPDATE or FOR SHARE is",
                      "use FOR r IN SELECT ... FOR UPDATE LOOP");
}

void PlReader::add_row(const std::string& name, const Table& table, Span at) {
  Binding binding;
  binding.kind = Binding::Kind::Record;
  binding.which = builder_.add_record();
  declared_records_.push_back(binding.which);
  Record& record = builder_.record(binding.which);
  record.has_shape = true;
  record.is_row = true;
  for (const Column& column : table.columns) {
    record.fields.push_back(
        {column.name,
         builder_.add_slot(name + "." + column.name, column.type, at),
         column.type});
  }
  builder_.declare(name, binding, at);
}

bool PlReader::row_declaration(const std::string& name, Span where,
                               std::size_t from, std::size_t to) {
  if (to - from == 1 && at(from).is("record")) {
    Binding binding;
    binding.kind = Binding::Kind::Record;
    binding.which = builder_.add_record();
    declared_records_.push_back(binding.which);
    builder_.declare(name, binding, where);
    return true;
  }
  if (to - from == 1 && at(from).is("refcursor")) {
    Binding binding;
    binding.kind = Binding::Kind::Cursor;
    binding.which = builder_.add_cursor(name, false);
    builder_.declare(name, binding, where);
    return true;
  }
  const bool is_rowtype =
      to - from == 3 && at(from + 1).is("%") && at(from + 2).is("rowtype");
  const bool is_name = to - from == 1 && at(from).is_name();
  if (!is_rowtype && !is_name) return false;
  const auto table = builder_.catalog().table(at(from).word);
  if (!table) {
    if (!is_rowtype) return false;
    source_.fail(source_.span(at(from).offset, at(from).length),
                 "unknown table '" + at(from).word + "'",
                 suggestion(at(from).word, builder_.catalog().table_names()));
  }
  add_row(name, builder_.catalog().schema.at(*table), where);
  return true;
}

Type PlReader::declared_type(std::size_t from, std::size_t to) {
  const Span span = text(from, to);
  // variable%TYPE
  if (to - from == 3 && at(from + 1).is("%") && at(from + 2).is("type")) {
    const std::array<std::string, 1> plain = {at(from).word};
    const auto found = builder_.find(plain, span, false);
    if (!found) {
      source_.fail(span, "unknown variable '" + plain[0] + "'",
                   suggestion(plain[0], builder_.candidates()));
    }
    return found->type;
  }
  // table.column%TYPE
  if (to - from == 5 && at(from + 3).is("%") && at(from + 4).is("type")) {
    const Catalog& catalog = builder_.catalog();
    const auto table = catalog.table(at(from).word);
    if (!table) {
      source_.fail(span, "unknown table '" + at(from).word + "'",
                   suggestion(at(from).word, catalog.table_names()));
    }
    const Table& found = catalog.schema.at(*table);
    const auto column = column_of(found, at(from + 2).word);
    if (!column) {
      source_.fail(
          span,
          "'" + found.name + "' has no column '" + at(from + 2).word + "'",
          suggestion(at(from + 2).word, column_names(found)));
    }
    return found.columns[*column].type;
  }
  const Tree tree =
      parse_type(source_, tokens_, source_.text(span), span.offset);
  const Node& value =
      *tree.statement().select_stmt->target_list[0]->res_target->val;
  if (value.node_case != PG_QUERY__NODE__NODE_TYPE_CAST) {
    source_.fail(span, "expected a type");
  }
  return read_type(tree, *value.type_cast->type_name);
}

void PlReader::scalar_declaration(const std::string& name, Span where,
                                  bool is_constant, PlBlock& out,
                                  bool is_nested) {
  const std::size_t from = at_;
  const std::size_t end = find({";", ":=", "=", "default", "not", "collate"});
  at_ = end;
  if (peek().is("collate")) source_.unsupported(here(), "COLLATE is");
  if (row_declaration(name, where, from, end)) {
    if (!peek().is(";")) {
      source_.unsupported(here(), "an initial value of a record is",
                          "assign its fields after BEGIN");
    }
    ++at_;
    return;
  }
  const Type type = declared_type(from, end);
  bool is_not_null = false;
  if (accept("not")) {
    expect("null");
    is_not_null = true;
  }
  // The initial value does not see the variable yet.
  std::optional<Expr> value;
  if (accept(":=") || accept("=") || accept("default")) {
    value = expression_until(end_of_statement(), out);
  }
  expect(";");
  Binding binding;
  binding.slot = builder_.add_slot(name, type, where);
  binding.is_constant = is_constant;
  builder_.routine.variables[binding.slot].is_constant = is_constant;
  builder_.routine.variables[binding.slot].is_not_null = is_not_null;
  builder_.declare(name, binding, where);
  if (is_not_null && !value) {
    source_.fail(where,
                 "'" + name + "' is NOT NULL and needs an initial value");
  }
  // A block that is entered again starts with fresh variables.
  if (!value && !is_nested) return;
  if (!value) value = constant({}, type, where);
  builder_.assign(binding.slot, std::move(*value), where, out);
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
  } else if (word == "get") {
    get_diagnostics(out);
  } else if (word == "open") {
    open_cursor(out);
  } else if (word == "fetch") {
    fetch(out);
  } else if (word == "close") {
    close_cursor(out);
  } else if (word == "null") {
    ++at_;
    expect(";");
  } else if (word == "perform") {
    perform(out);
  } else if (word == "call") {
    call(out);
  } else if (word == "select" || word == "insert" || word == "update" ||
             word == "delete") {
    sql_statement(out);
  } else {
    return false;
  }
  return true;
}

void PlReader::unsupported_statement(std::string_view word) {
  struct Known {
    std::string_view word;
    std::string_view what;
    std::string_view hint;
  };
  constexpr std::array<Known, 17> kKnown = {{
      {"execute", "dynamic SQL (EXECUTE) is", "write the statement itself"},
      {"foreach", "FOREACH is", "arrays are not supported"},
      {"assert", "ASSERT is", "use IF ... THEN RAISE EXCEPTION"},
      {"move", "MOVE is", "use FETCH"},
      {"commit", "COMMIT inside a routine is",
       "a call is one transaction; split it into two procedures"},
      {"rollback", "ROLLBACK inside a routine is", "use RAISE EXCEPTION"},
      {"savepoint", "SAVEPOINT is", ""},
      {"with", "WITH (common table expressions) is", "use a subquery"},
      {"do", "DO is", "write the statements themselves"},
      {"merge", "MERGE is", "use INSERT ... ON CONFLICT"},
      {"truncate", "TRUNCATE is", "use DELETE"},
      {"lock", "LOCK TABLE is", "use SELECT ... FOR UPDATE"},
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
