// --@ session: transactions, as calls of routines or as scripts.

#include "model/product/profile.h"
#include "read/sql/file/annotations.h"

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/analyze/finished_names.h"
#include "read/sql/plpgsql/reader.h"
#include "read/sql/plpgsql/routine_reader.h"

namespace txscope::sql {

std::string AnnotationReader::label(const std::string& name) {
  int& uses = uses_[name];
  std::string result = name;
  do {
    ++uses;
    if (uses > 1) result = name + "#" + std::to_string(uses);
  } while (!labels_.insert(result).second);
  return result;
}

void AnnotationReader::session(const Annotation& annotation) {
  if (!session_names_.insert(annotation.name).second) {
    source_.fail(annotation.name_at,
                 "session '" + annotation.name + "' is given twice",
                 "give all its calls in one line, or go on in lines that begin "
                 "with --@ and three spaces");
  }
  uses_.clear();
  labels_.clear();
  session_ = Session();
  session_.name = annotation.name;
  session_.at = annotation.name_at;
  const Annotation closed = without_question_marks(annotation);
  const Tokens scanned =
      scan(source_, piece(closed, closed.content), closed.content.offset);
  const std::vector<Token>& tokens = scanned.list;
  if (source_.mysql() != nullptr) mysql_session(closed, tokens);
  for (std::size_t from = source_.mysql() != nullptr ? tokens.size() : 0;
       from < tokens.size();) {
    if (const auto next = code(closed, tokens, from)) {
      from = *next;
      continue;
    }
    std::size_t end = from;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    if (end > from) {
      const Span span = source_.span(
          tokens[from].offset, tokens[end - 1].end() - tokens[from].offset);
      statement(
          parse_statement(source_, tokens, piece(closed, span), span.offset));
    }
    from = end + 1;
  }
  if (!questions_.empty()) {
    source_.fail(source_.span(*questions_.begin(), 1),
                 "'?' can only be a whole argument of a CALL",
                 "as in CALL withdraw(1, ?); or SELECT withdraw(1, ?);");
  }
  if (script_) fail_unended();
  if (session_.calls.empty()) {
    source_.fail(annotation.content,
                 "session '" + session_.name + "' runs nothing");
  }
  application_.sessions.push_back(std::move(session_));
}

void AnnotationReader::fail_unended() const {
  source_.fail(script_->routine.at, "this BEGIN has no COMMIT",
               "end the transaction with COMMIT; or ROLLBACK;");
}

namespace {

/// data ? 'key' asks jsonb for a key.
bool is_json_operator(const std::vector<Token>& tokens, std::size_t i) {
  if (i == 0 || i + 1 == tokens.size()) return false;
  const Token& before = tokens[i - 1];
  const bool has_left = (before.is_name() && !before.is_reserved) ||
                        before.kind == TokenKind::String || before.is(")") ||
                        before.is("]");
  return has_left && (tokens[i + 1].kind == TokenKind::String ||
                      (tokens[i + 1].is_name() && !tokens[i + 1].is_reserved));
}

/// What tells nobody else anything, and changes no value: time-outs do not end
/// here what waits.
bool changes_nothing(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_LISTEN_STMT:
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT:
    case PG_QUERY__NODE__NODE_NOTIFY_STMT: return true;
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT: break;
    default: return false;
  }
  return is_idle_setting(view(node.variable_set_stmt->name));
}

}  // namespace

/// A `?` is no SQL; a 0 takes its place, and questions_ remembers where.
AnnotationReader::Annotation AnnotationReader::without_question_marks(
    Annotation annotation) {
  const Tokens scanned = scan(source_, piece(annotation, annotation.content),
                              annotation.content.offset);
  for (std::size_t i = 0; i < scanned.list.size(); ++i) {
    const Token& token = scanned.list[i];
    if (!token.is("?") || is_json_operator(scanned.list, i)) continue;
    annotation.blanked[token.offset - annotation.whole.offset] = '0';
    questions_.insert(token.offset);
    if (!application_.arbitrary) {
      application_.arbitrary = source_.span(token.offset, 1);
    }
  }
  return annotation;
}

/// BEGIN, START TRANSACTION, with a level or without, and SET TRANSACTION
/// behind it: the first token of what they begin, or of what they do not.
std::size_t AnnotationReader::after_begin(const std::vector<Token>& tokens,
                                          std::size_t from) {
  const auto is = [&](std::size_t i, std::string_view word) {
    return i < tokens.size() && tokens[i].is(word);
  };
  const auto after_semicolon = [&](std::size_t i) {
    while (i < tokens.size() && !tokens[i].is(";")) ++i;
    return i + 1;
  };
  if (!is(from, "begin") && !(is(from, "start") && is(from + 1, "transaction")))
    return from;
  std::size_t next = after_semicolon(from);
  if (is(next, "set") && is(next + 1, "transaction"))
    next = after_semicolon(next);
  return next;
}

/// BEGIN; ... COMMIT; whose statements are PL/pgSQL's, as one transaction; the
/// token after it.  Nothing: it is plain SQL.
std::optional<std::size_t> AnnotationReader::code(
    const Annotation& annotation, const std::vector<Token>& tokens,
    std::size_t from) {
  const bool is_do = tokens[from].is("do");
  const std::size_t first = is_do ? from + 2 : after_begin(tokens, from);
  if (first == from || first > tokens.size()) return std::nullopt;
  std::size_t end = first;
  bool is_code = is_do;
  if (is_do) {
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
  }
  for (; !is_do && end < tokens.size(); ++end) {
    const Token& t = tokens[end];
    const bool is_start = tokens[end - 1].is(";");
    const bool is_back_to = end + 1 < tokens.size() && tokens[end + 1].is("to");
    if (is_start && (t.is("commit") || (t.is("rollback") && !is_back_to)))
      break;
    is_code |= is_start && (t.is("savepoint") || t.is("release") ||
                            t.is("begin") || is_back_to);
    const bool is_into = t.is("into") && !tokens[end - 1].is_before_table();
    is_code |= is_into || t.is(":=") || t.is("loop") || t.is("perform") ||
               (is_start &&
                (t.is("if") || t.is("do") || t.is("raise") || t.is("get")));
  }
  if (!is_code || end >= tokens.size()) return std::nullopt;
  const Span begin = source_.span(tokens[from].offset, tokens[from].length);
  if (!is_do) read_level(annotation, tokens, from, first);
  // The text without the --@ of its lines, which SQL takes for comments.
  script_ = std::make_unique<RoutineBuilder>(*code_source_, catalog_);
  script_->routine.at = begin;
  script_->is_script = true;
  const bool is_rollback = tokens[end].is("rollback");
  if (is_do) {
    do_block(tokens, from);
  } else {
    const std::vector<Token> inner(
        tokens.begin() + static_cast<std::ptrdiff_t>(first),
        tokens.begin() + static_cast<std::ptrdiff_t>(end));
    script_->routine.body = read_statements(*script_, inner);
  }
  const Span last = source_.span(tokens[end].offset, tokens[end].length);
  if (is_rollback) {
    PlRaise raise;
    raise.message = "ROLLBACK";
    raise.sqlstate = "00000";
    script_->routine.body.push_back({last, std::move(raise)});
  }
  end_script(last);
  std::size_t next = end + 1;
  while (next < tokens.size() && tokens[next].is(";")) ++next;
  return next;
}

/// What BEGIN and SET TRANSACTION, from one token to another, say of the level.
void AnnotationReader::read_level(const Annotation& annotation,
                                  const std::vector<Token>& tokens,
                                  std::size_t from, std::size_t to) {
  while (from < to) {
    std::size_t end = from;
    while (end < to && !tokens[end].is(";")) ++end;
    const Span span = source_.span(tokens[from].offset,
                                   tokens[end - 1].end() - tokens[from].offset);
    const Tree tree =
        parse_statement(source_, tokens, piece(annotation, span), span.offset);
    const Node& node = tree.statement();
    const std::optional<OwnLevel> level =
        node.node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT
            ? level_among(tree, list(node.transaction_stmt->n_options,
                                     node.transaction_stmt->options))
            : level_among(tree, list(node.variable_set_stmt->n_args,
                                     node.variable_set_stmt->args));
    if (level) script_level_ = level;
    from = end + 1;
  }
}

void AnnotationReader::do_block(const std::vector<Token>& tokens,
                                std::size_t from) {
  std::size_t i = from;
  while (i < tokens.size() && tokens[i].kind != TokenKind::String) ++i;
  if (i >= tokens.size()) {
    source_.fail(source_.span(tokens[from].offset, tokens[from].length),
                 "expected a block after DO");
  }
  const Span whole = source_.span(tokens[i].offset, tokens[i].length);
  const std::string_view text = source_.text(whole);
  const std::size_t quote = text.starts_with('$') ? text.find('$', 1) + 1 : 1;
  const Span body =
      source_.span(whole.offset + quote, whole.length - 2 * quote);
  const Tokens inside = scan(source_, source_.text(body), body.offset);
  script_->is_script = false;
  script_->routine.body = read_body(*script_, inside.list);
}

void AnnotationReader::statement(const Tree& tree) {
  const Node& node = tree.statement();
  if (node.node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT) {
    transaction_control(tree, *node.transaction_stmt);
    return;
  }
  if (node.node_case == PG_QUERY__NODE__NODE_VARIABLE_SET_STMT && script_ &&
      script_->routine.body.empty() &&
      view(node.variable_set_stmt->name) == "TRANSACTION") {
    const PgQuery__VariableSetStmt& set = *node.variable_set_stmt;
    script_level_ = level_among(tree, list(set.n_args, set.args));
    return;
  }
  if (changes_nothing(node)) {
    const std::string note =
        "SET of time-outs and the like, LISTEN and NOTIFY in sessions are left "
        "out: they change no answer";
    auto& notes = application_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(note);
    return;
  }
  const bool is_call = node.node_case == PG_QUERY__NODE__NODE_CALL_STMT;
  if (!script_ && (is_call || is_open_function(tree))) {
    call(tree);
    return;
  }
  refuse_into(tree);
  // Without BEGIN a statement is a transaction of its own.
  const bool is_alone = !script_;
  if (is_alone) begin_script(tree.whole());
  PlBlock& body = script_->routine.body;
  if (is_call) {
    script_->call(tree, body);
  } else if (node.node_case == PG_QUERY__NODE__NODE_CONSTRAINTS_SET_STMT) {
    script_->set_constraints(tree, body);
  } else {
    script_->execute(tree, std::nullopt, {}, false, false, body);
  }
  if (is_alone) end_script(tree.whole());
}

/// SELECT INTO a variable stands between BEGIN and COMMIT; elsewhere PostgreSQL
/// makes a table of it.
void AnnotationReader::refuse_into(const Tree& tree) const {
  const Node& node = tree.statement();
  if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT ||
      node.select_stmt->into_clause == nullptr) {
    return;
  }
  if (script_) fail_unended();
  source_.fail(tree.word({"into"}),
               "SELECT INTO without BEGIN would make a new table",
               "between BEGIN; and COMMIT; it reads into a variable");
}

/// ISOLATION LEVEL among the options of BEGIN or SET TRANSACTION, as --@ level
/// says it; the words are PostgreSQL's, and so are the levels.
std::optional<OwnLevel> AnnotationReader::level_among(const Tree& tree,
                                                      NodeList options) const {
  std::optional<OwnLevel> level;
  for (const Node* item : options) {
    const PgQuery__DefElem& option = *item->def_elem;
    if (view(option.defname) != "transaction_isolation" ||
        option.arg == nullptr ||
        option.arg->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        option.arg->a_const->sval == nullptr) {
      source_.unsupported(tree.whole(), "READ ONLY or DEFERRABLE is");
    }
    const Product product =
        source_.mysql() != nullptr ? Product::MariaDb : Product::PostgreSql;
    const auto profile =
        parse_profile(std::string(name(product)) + ":" +
                      std::string(view(option.arg->a_const->sval->sval)));
    if (!profile) source_.fail(tree.whole(), profile.error().what);
    level = OwnLevel{*profile, tree.whole()};
  }
  return level;
}

void AnnotationReader::transaction_control(
    const Tree& tree, const PgQuery__TransactionStmt& node) {
  const Span span = tree.whole();
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
      if (script_) source_.fail(span, "BEGIN inside a transaction");
      begin_script(span);
      script_level_ = level_among(tree, list(node.n_options, node.options));
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK: break;
    default:
      source_.unsupported(span, "SAVEPOINT is",
                          "a transaction ends by COMMIT or ROLLBACK");
  }
  const bool is_rollback =
      node.kind == PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK;
  if (!script_) {
    source_.fail(span, std::string(is_rollback ? "ROLLBACK" : "COMMIT") +
                           " without BEGIN");
  }
  if (node.chain) source_.unsupported(span, "AND CHAIN is");
  if (is_rollback) {
    PlRaise raise;
    raise.message = "ROLLBACK";
    raise.sqlstate = "00000";
    script_->routine.body.push_back({span, std::move(raise)});
  }
  end_script(span);
}

void AnnotationReader::begin_script(Span at) {
  script_ = std::make_unique<RoutineBuilder>(source_, catalog_);
  script_->hide_found();
  script_->routine.at = at;
}

void AnnotationReader::end_script(Span end) {
  Routine script = std::move(script_->routine);
  script_.reset();
  Call call;
  call.level = std::exchange(script_level_, {});
  call.label = label("t" + std::to_string(session_.calls.size() + 1));
  call.routine = RoutineId(application_.routines.size());
  call.at = source_.span(script.at, end);
  script.at = call.at;
  script.name = call.label;
  script.is_script = true;
  script.result = {TypeName::Void, 0, 0};
  application_.routines.push_back(std::move(script));
  session_.calls.push_back(std::move(call));
}

}  // namespace txscope::sql
