// Blocks, declarations, and which statement it is.

#include "read/sql/mysql/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "read/sql/mysql/state.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

std::string MysqlProgram::name(std::string_view what) {
  if (!peek().is_name()) source_.fail(here(), "expected " + std::string(what));
  return source_.mysql()->name(tokens_[at_++].word);
}

Span MysqlProgram::text(std::size_t from, std::size_t to) const {
  if (from >= to || to > tokens_.size()) return here();
  return source_.span(tokens_[from].offset,
                      tokens_[to - 1].end() - tokens_[from].offset);
}

/// The first of these from here on in no parentheses and no CASE ... END.
std::size_t MysqlProgram::find(
    std::initializer_list<std::string_view> words) const {
  int depth = 0;
  for (std::size_t i = at_; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (depth == 0)
      for (const std::string_view word : words)
        if (token.is(word)) return i;
    if (token.is("(") || token.is("case")) ++depth;
    if ((token.is(")") || token.is("end")) && depth > 0) --depth;
  }
  return tokens_.size();
}

Tree MysqlProgram::parse(std::size_t from, std::size_t to) const {
  const Span span = text(from, to);
  return parse_statement(source_, tokens_, source_.text(span), span.offset);
}

PlBlock MysqlProgram::read() {
  PlBlock body;
  builder_.enter(false);
  statement(body);
  while (accept(";")) {
  }
  builder_.leave();
  if (at_ < tokens_.size())
    source_.fail(here(), "unexpected '" + std::string(source_.text(here())) +
                             "' after the end of the routine");
  return body;
}

PlBlock MysqlProgram::read_statements() {
  PlBlock body;
  is_session_ = true;
  builder_.enter(false);
  while (at_ < tokens_.size()) {
    if (accept(";")) continue;
    statement(body);
    if (at_ < tokens_.size()) expect(";");
  }
  builder_.leave();
  return body;
}

void MysqlProgram::end_label(const std::string& label) {
  const bool has_one = peek().is_name() && !peek().is_reserved;
  if (!has_one) return;
  if (source_.mysql()->name(peek().word) != label)
    source_.fail(here(), "the label after END is not that of the block");
  ++at_;
}

void MysqlProgram::statement(PlBlock& out) {
  if (++nesting_ > kDeepest)
    source_.fail(here(), "statements are nested too deeply here");
  std::string label;
  if (peek().is_name() && !peek().is_reserved && is(":", 1)) {
    label = name("a label");
    ++at_;
  }
  const std::string word =
      peek().kind == TokenKind::Word ? peek().word : std::string();
  const bool is_block = word == "begin" && !is(";", 1) && !is("work", 1) &&
                        at_ + 1 < tokens_.size();
  if (is_block) {
    block(label, out);
  } else if (word == "loop" || word == "while" || word == "repeat") {
    loop_statement(label, out);
  } else if (word == "for") {
    for_statement(label, out);
  } else if (!label.empty()) {
    source_.fail(here(), "a label must be before a block or a loop");
  } else if (word == "if" && !is("(", 0)) {
    if_statement(out);
  } else if (word == "case") {
    case_statement(out);
  } else if (word == "leave" || word == "iterate") {
    leave_statement(out, word == "iterate");
  } else if (word == "return") {
    return_statement(out);
  } else if (word == "signal" || word == "resignal") {
    signal(out, word == "resignal");
  } else {
    // P1: it may fail, and something may go on then.
    PlBlock own;
    const Span at = here();
    plain_statement(word, own);
    if (word != "call") protect(own, at);
    guard(std::move(own), at, out);
  }
  --nesting_;
}

void MysqlProgram::plain_statement(std::string_view word, PlBlock& out) {
  if (word == "set" && is("statement", 1)) {
    at_ = find({"for"});  // for a statement alone: a limit of time and the like
    expect("for");
    plain_statement(peek().word, out);
  } else if (word == "set") {
    set_statement(out);
  } else if (word == "call") {
    call(out);
  } else if (word == "open") {
    open_cursor(out);
  } else if (word == "fetch") {
    fetch(out);
  } else if (word == "close") {
    close_cursor(out);
  } else if (word == "get") {
    get_diagnostics(out);
  } else if (word == "do") {
    do_statement(out);
  } else if (word == "start" || word == "begin" || word == "commit" ||
             word == "rollback" || word == "savepoint" || word == "release") {
    transaction_statement(out);
  } else if (word == "select" || word == "insert" || word == "update" ||
             word == "delete" || word == "replace" || word == "with" ||
             word == "values" || is("(")) {
    sql_statement(out);
  } else if (word == "show" || word == "describe" || word == "desc" ||
             word == "explain" || word == "analyze" || word == "flush") {
    at_ = find({";"});  // for the eyes of the client, or nothing that matters
  } else if (word == "truncate") {
    truncate(out);
  } else if (word == "prepare") {
    prepare(out);
  } else if (word == "execute") {
    execute_text(out);
  } else if (word == "deallocate" || (word == "drop" && is("prepare", 1))) {
    deallocate();
  } else {
    unsupported_statement(word);
  }
}

void MysqlProgram::unsupported_statement(std::string_view word) {
  struct Known {
    std::string_view word;
    std::string_view what;
    std::string_view hint;
  };
  constexpr std::array<Known, 8> kKnown = {{
      {"create", "DDL inside a routine is", ""},
      {"drop", "DDL inside a routine is", ""},
      {"alter", "DDL inside a routine is", ""},
      {"rename", "DDL inside a routine is", ""},
      {"lock", "LOCK TABLES is", "use SELECT ... FOR UPDATE"},
      {"unlock", "UNLOCK TABLES is", ""},
      {"xa", "XA is", ""},
      {"load", "LOAD DATA is", ""},
  }};
  for (const Known& known : kKnown)
    if (known.word == word)
      source_.unsupported(here(), known.what, std::string(known.hint));
  source_.fail(here(), at_ >= tokens_.size()
                           ? "the body ends where a statement is expected"
                           : "expected a statement, not '" +
                                 std::string(source_.text(here())) + "'");
}

void MysqlProgram::statements(PlBlock& out,
                              std::initializer_list<std::string_view> ends) {
  builder_.enter(false);
  const auto is_end = [&] {
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view word) { return is(word); });
  };
  while (!is_end()) {
    if (at_ >= tokens_.size()) expect(*ends.begin());
    statement(out);
    expect(";");
  }
  builder_.leave();
}

void MysqlProgram::block(const std::string& label, PlBlock& out) {
  const Span start = here();
  expect("begin");
  if (accept("not")) expect("atomic");
  builder_.open_scope(label);
  const std::size_t conditions = conditions_.size();
  HandlerLevel level;
  Label mine = new_label(label, false);
  level.exit = mine.id;
  PlBlock inside;
  declarations(inside, level);
  const auto is_for_errors = [](const Handler& h) { return h.is_for_errors; };
  const bool has_errors =
      std::any_of(level.handlers.begin(), level.handlers.end(), is_for_errors);
  level.by_statement = std::any_of(
      level.handlers.begin(), level.handlers.end(),
      [](const Handler& h) { return h.is_for_errors && h.continues; });
  const bool by_statement = level.by_statement;
  if (has_errors)
    builder_.catalog().assumed.insert(
        "a deadlock ends a call, whatever handlers it has");
  const bool has_handlers = !level.handlers.empty();
  labels_.push_back(mine);
  handlers_.push_back(std::move(level));
  const std::size_t outer_handled = std::exchange(handled_, handlers_.size());
  const MysqlTransaction entry = transaction_;
  const std::uint32_t changes = changes_;
  PlBlock own;
  // Where handlers go on from is not known.
  std::optional<KnownBranches> known;
  if (has_handlers) known.emplace(texts_);
  statements(own, {"end"});
  if (known) known->next();
  known.reset();
  expect("end");
  end_label(label);
  const std::size_t after = at_;
  if (has_errors && !by_statement) {
    // Where in the block it failed is not known.
    const MysqlTransaction left = transaction_;
    transaction_ = changes == changes_ ? entry : MysqlTransaction::Unsure;
    PlTry guarded;
    guarded.keeps_work = true;
    guarded.body = std::move(own);
    own.clear();
    const auto handled = add_handlers(guarded, handlers_.size() - 1);
    transaction_ = left;
    if (handled) join(*handled);
    emit(own, start, std::move(guarded));
  }
  at_ = after;
  handled_ = outer_handled;
  handlers_.pop_back();
  close_label();
  conditions_.resize(conditions);
  std::move(own.begin(), own.end(), std::back_inserter(inside));
  if (!label.empty() || has_handlers) {
    PlLabelled labelled;
    labelled.label = mine.id;
    labelled.body = std::move(inside);
    emit(out, start, std::move(labelled));
  } else {
    std::move(inside.begin(), inside.end(), std::back_inserter(out));
  }
  builder_.close_scope();
}

void MysqlProgram::declarations(PlBlock& out, HandlerLevel& level) {
  while (is("declare")) {
    const bool is_handler = is("handler", 2);
    if (is_handler) {
      ++at_;
      handler_declaration(level);
    } else if (is("condition", 2)) {
      ++at_;
      std::string called = name("a condition");
      ++at_;
      expect("for");
      conditions_.emplace_back(std::move(called), condition_codes());
    } else if (is("cursor", 2)) {
      ++at_;
      const Span at = here();
      const std::string called = name("a cursor");
      cursor_declaration(called, at);
    } else {
      ++at_;
      variable_declaration(out);
    }
    expect(";");
  }
}

/// a, b type [DEFAULT expression]
void MysqlProgram::variable_declaration(PlBlock& out) {
  std::vector<std::pair<std::string, Span>> names;
  do {
    const Span at = here();
    names.emplace_back(name("a variable"), at);
  } while (accept(","));
  const Span at = here();
  const std::size_t end = find({";"});
  std::size_t type_end = at_;
  while (type_end < end && !tokens_[type_end].is("default")) ++type_end;
  if (is("row")) return record_declaration(names);
  const Type type = type_until(type_end);
  std::optional<Expr> value;
  std::shared_ptr<const MadeText> made;
  if (accept("default")) {
    if (prepares_ && at_ < end) made = made_text(text(at_, end), false, out);
    value = expression(at_, end, out);
  }
  at_ = end;
  for (const auto& [called, where] : names) {
    Binding binding;
    binding.slot = builder_.add_slot(called, type, where);
    builder_.declare(called, binding, where);
    // A block that is entered again begins anew.
    Place to{binding, where};
    assign(to, value ? *value : constant({}, bare(type), where), at, out);
    if (made != nullptr) texts_.know(binding.slot, made);
  }
}

/// A type, or TYPE OF a column or a variable.
Type MysqlProgram::type_until(std::size_t end) {
  if (is("type") && is("of", 1)) {
    at_ += 2;
    const Span at = here();
    const std::string first = name("a table or a variable");
    if (accept(".")) return column_type(first, name("a column"), at);
    return bare(builder_.variable(place(first, at).binding.slot).type);
  }
  const Span span = text(at_, end);
  const Tree tree =
      parse_type(source_, tokens_, source_.text(span), span.offset);
  const PgQuery__SelectStmt& select = *tree.statement().select_stmt;
  at_ = end;
  return read_type(
      tree, builder_.catalog(),
      *select.target_list[0]->res_target->val->type_cast->type_name);
}

const Table& MysqlProgram::table_named(const std::string& called,
                                       Span at) const {
  const Catalog& catalog = builder_.catalog();
  const auto table = catalog.table(catalog.relation({"", called}));
  if (!table) source_.fail(at, "unknown table '" + called + "'");
  return catalog.schema.at(*table);
}

Type MysqlProgram::column_type(const std::string& table,
                               const std::string& column, Span at) const {
  const Table& of = table_named(table, at);
  const auto found = column_of(of, column);
  if (!found)
    source_.fail(at, "'" + table + "' has no column '" + column + "'");
  return of.columns[*found].type;
}

/// r ROW (a INT, b TEXT), r ROW TYPE OF t
void MysqlProgram::record_declaration(
    const std::vector<std::pair<std::string, Span>>& names) {
  expect("row");
  std::vector<std::pair<std::string, Type>> fields;
  if (accept("type")) {
    expect("of");
    const Span at = here();
    for (const Column& column : table_named(name("a table"), at).columns)
      fields.emplace_back(column.name, column.type);
  } else {
    expect("(");
    do {
      std::string field = name("a field");
      fields.emplace_back(std::move(field), type_until(find({",", ")"})));
    } while (accept(","));
    expect(")");
  }
  if (is("default"))
    source_.unsupported(here(), "DEFAULT of a row is", "use SET");
  for (const auto& [called, where] : names)
    (void)new_record(called, fields, where);
}

}  // namespace txscope::sql
