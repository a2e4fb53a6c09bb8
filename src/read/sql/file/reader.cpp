#include "read/sql/file/reader.h"

#include <algorithm>
#include <array>

#include "read/sql/file/annotations.h"
#include "read/sql/mysql/signature.h"
#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/text/older_words.h"

namespace txscope::sql {
namespace {

/// MySQL's client has no commands but those that its lexer knows.
PsqlText client_text(const Application& application, Dialect syntax,
                     Mistakes mistakes) {
  if (!is_mysql(syntax))
    return read_psql(application.file, application.source, mistakes);
  PsqlText text;
  text.text = application.source;
  return text;
}

std::shared_ptr<MysqlState> state_of(Dialect syntax) {
  if (!is_mysql(syntax)) return nullptr;
  auto state = std::make_shared<MysqlState>();
  state->dialect = syntax;
  return state;
}

}  // namespace

FileReader::FileReader(Application& application, Dialect dialect,
                       LeftOut left_out, Dialect syntax, Mistakes mistakes)
    : application_(application),
      dialect_(dialect),
      psql_(client_text(application, syntax, mistakes)),
      source_(application.file, psql_.text, psql_.map, state_of(syntax)),
      tokens_(scan_file()),
      goes_on_(mistakes == Mistakes::LeaveOut),
      mistakes_(psql_.mistakes),
      known_left_out_(std::move(left_out)) {
  for (const auto& [table, why] : known_left_out_.tables)
    catalog_.broken.emplace(table, why);
  if (source_.mysql() == nullptr) return;
  source_.mysql()->modes = modes_of_file();
  psql_.inserts = std::move(tokens_.inserts);
  learn_spellings();
}

/// Sessions are connections of their own, with the server's sql_mode whatever
/// the file has set for itself.
std::vector<std::pair<std::uint32_t, MysqlModes>> FileReader::modes_of_file()
    const {
  auto modes = tokens_.modes;
  for (const Comment& comment : tokens_.annotations) {
    const std::uint32_t end = comment.offset + comment.length;
    MysqlModes before;
    for (const auto& [from, all] : tokens_.modes)
      if (from <= end) before = all;
    modes.emplace_back(comment.offset, MysqlModes{});
    modes.emplace_back(end, before);
  }
  std::stable_sort(
      modes.begin(), modes.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  return modes;
}

Tokens FileReader::scan_file() const {
  return scan(source_, source_.mysql() != nullptr ? psql_.text : psql_.sql, 0);
}

void FileReader::read(bool needs_sessions) {
  read_now();
  read_search_path();
  read_dialect();
  prepare_fresh();
  prepare_names();
  add_platform();
  const std::vector<Token>& tokens = tokens_.list;
  for (std::size_t from = 0; from < tokens.size();) {
    const std::size_t to = end_of_statement(from);
    if (to > from) {
      attempt([&] { connect_before(tokens[from].offset); });
      statement_or_later(from, to);
    }
    from = to + 1;
  }
  read_what_waits();
  end_script();
  settle_numbers(application_.setup.size());
  if (transaction_) {
    attempt([this] {
      source_.fail(source_.span(source_.text().size(), 0),
                   "BEGIN without COMMIT",
                   "psql would discard everything after it");
    });
  }
  if (source_.mysql() != nullptr && added_rows_ != psql_.inserts.size()) {
    attempt([this] {
      source_.unsupported(source_.span(psql_.inserts[added_rows_].from, 1),
                          "an INSERT of so many rows in a routine is",
                          "insert them outside of it");
    });
  }
  switches_.settle();
  if (source_.mysql() != nullptr) {
    settle_foreign_keys(true);
    add_key_indexes();
    order_rows();
    add_twins();
  }
  // Who connects later has a path of its own.
  catalog_.path = session_path_;
  settle_platform_keys();
  read_bodies();
  catalog_.path = session_path_;
  for (const Comment& comment : tokens_.lookalikes) {
    attempt([&] {
      const Span at = source_.span(comment.offset, comment.length);
      source_.fail(at,
                   "'" + std::string(source_.text(at)) +
                       "' is a plain comment; annotations begin with --@",
                   "write --@ at its beginning, or leave out the colon");
    });
  }
  AnnotationReader(source_, catalog_, application_, errors_)
      .read(tokens_.annotations, needs_sessions);
  write_notes();
  if (errors_.size() != leaving_) to_leave_out_ = {};
  application_.schema = catalog_.schema;
  application_.settings = catalog_.settings;
  application_.source = psql_.text + source_.appendix();
  application_.origin = psql_.map;
}

/// Where the statement that begins there ends: at its semicolon, those inside
/// of parentheses and of BEGIN ATOMIC ... END left out.
std::size_t FileReader::end_of_statement(std::size_t from) const {
  const std::vector<Token>& tokens = tokens_.list;
  int depth = 0;
  int blocks = 0;
  std::size_t to = from;
  for (; to < tokens.size(); ++to) {
    const Token& token = tokens[to];
    if (source_.mysql() != nullptr) {
      // Without DELIMITER a program ends where its blocks do.
      blocks += change_of_depth(to);
      const bool is_semicolon = token.is(";") && token.length == 1 &&
                                source_.text()[token.offset] == ';';
      if (is_program(from) ? token.is_end && (!is_semicolon || blocks <= 0)
                           : token.is(";"))
        break;
      continue;
    }
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    const bool is_atomic = token.is("begin") && to + 1 < tokens.size() &&
                           tokens[to + 1].is("atomic");
    if (is_atomic || (blocks > 0 && token.is("case"))) ++blocks;
    if (blocks > 0 && token.is("end")) --blocks;
    if (token.is(";") && depth <= 0 && blocks == 0) break;
  }
  return to;
}

/// One sequence for all functions whose values are any that are never the same.
void FileReader::prepare_fresh() {
  const std::string_view text = source_.text();
  const auto has = [&](std::string_view word) {
    const auto same = [](char a, char b) { return (a | ' ') == (b | ' '); };
    return std::search(text.begin(), text.end(), word.begin(), word.end(),
                       same) != text.end();
  };
  const bool is_theirs =
      source_.mysql() != nullptr && (has("rand(") || has("uuid("));
  if (!is_theirs && !has("random") && !has("uuid_generate") && !has("gen_salt"))
    return;
  catalog_.fresh = static_cast<std::uint32_t>(catalog_.schema.sequences.size());
  catalog_.schema.sequences.push_back({"", 1, 1});
}

/// CREATE [...] TABLE | VIEW [IF NOT EXISTS] [schema.]name
void FileReader::prepare_names() {
  const std::vector<Token>& tokens = tokens_.list;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("table") && !tokens[i].is("view")) continue;
    std::size_t back = i;
    while (back > 0 && i - back < 5 && !tokens[back].is("create") &&
           !tokens[back].is(";"))
      --back;
    if (!tokens[back].is("create")) continue;
    std::size_t name = i + 1;
    while (name < tokens.size() &&
           (tokens[name].is("if") || tokens[name].is("not") ||
            tokens[name].is("exists")))
      ++name;
    while (name + 2 < tokens.size() && tokens[name + 1].is(".")) name += 2;
    if (name < tokens.size() && tokens[name].is_name())
      catalog_.to_come.insert(tokens[name].word);
  }
}

void FileReader::attempt(const std::function<void()>& what) {
  try {
    what();
  } catch (Failure& failure) {
    (goes_on_ ? mistakes_ : errors_).push_back(std::move(failure.error));
  }
}

void FileReader::connect_before(std::uint32_t offset) {
  for (; connects_ < psql_.connects.size() &&
         psql_.connects[connects_].at < offset;
       ++connects_) {
    const bool is_new = catalog_.schema.tables.empty() && texts_.empty() &&
                        application_.setup.empty();
    const PsqlConnect& connect = psql_.connects[connects_];
    if (!is_new)
      source_.unsupported(source_.span(connect.at, connect.length),
                          "\\connect after something was created is",
                          "a file is about one database");
  }
}

void FileReader::statement(std::size_t from, std::size_t to) {
  const std::vector<Token>& tokens = tokens_.list;
  const Span span = source_.span(tokens[from].offset,
                                 tokens[to - 1].end() - tokens[from].offset);
  statement_at(span, tokens);
}

void FileReader::statement_at(Span span, const std::vector<Token>& tokens) {
  const InsertedRows* more = more_rows_of(span);
  std::string newer;
  auto tree = std::make_shared<const Tree>([&] {
    try {
      return parse_statement(source_, tokens, source_.text(span), span.offset);
    } catch (const Failure&) {
      newer = in_older_words(source_, tokens, span);
      if (newer.empty()) throw;
      return parse_statement(source_, tokens, newer, span.offset);
    }
  }());
  if (is_left_out(*tree)) return;
  try {
    if (tree->mysql() != nullptr) {
      mysql_statement(tree);
    } else if (!definition(tree) && !data(*tree)) {
      other(*tree);
    }
    if (more != nullptr) add_rows(*more);
  } catch (Failure& failure) {
    if (failure.is_there_already || waits_) throw;
    if (!failure.is_gap && !goes_on_) throw;
    if (!leave_out(*tree, failure.error)) throw;
    if (!failure.is_gap) mistakes_.push_back(failure.error);
  }
}

bool FileReader::data(const Tree& tree) {
  const Node& node = tree.statement();
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT: setup(tree); break;
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
      truncate(*node.truncate_stmt, tree);
      break;
    case PG_QUERY__NODE__NODE_COPY_STMT:
      copy(tree, *node.copy_stmt);
      return true;
    case PG_QUERY__NODE__NODE_SELECT_STMT: select(tree); break;
    case PG_QUERY__NODE__NODE_CALL_STMT: call(tree); break;
    case PG_QUERY__NODE__NODE_DO_STMT: do_block(tree, *node.do_stmt); break;
    default: return false;
  }
  application_.load.push_back(tree.whole());
  return true;
}

/// Schemas that the file knows, whether or not it makes tables there; whether
/// the statement has to do with them.
bool FileReader::note_schemas(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT:
      catalog_.schemas.emplace(view(node.create_schema_stmt->schemaname));
      return true;
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT:
      set_schema(*node.alter_object_schema_stmt);
      return true;
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
      if (const auto path = search_path_of(*node.variable_set_stmt)) {
        catalog_.path = *path;
        catalog_.schemas.insert(path->begin(), path->end());
        return true;
      }
      switches_.set_role(*node.variable_set_stmt);
      return false;
    default: return false;
  }
}

void FileReader::setup(const Tree& tree) {
  Analyzer analyzer(tree, catalog_, nullptr);
  if (dialect_ != Dialect::Postgresql) analyzer.speak(dialect_);
  application_.setup.push_back(analyzer.statement());
  note_numbers();
  if (!keys_are_off_) return;
  rows_without_keys_.insert(application_.setup.size() - 1);
  application_.has_unchecked_rows = true;
}

void FileReader::transaction(const Tree& tree,
                             const PgQuery__TransactionStmt& node) {
  const Span at = tree.whole();
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
      if (transaction_ && source_.mysql() == nullptr)
        source_.fail(at, "BEGIN inside a transaction");
      transaction_ = definitions_;
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
      transaction_.reset();
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK: {
      if (!transaction_) return;
      const bool has_definitions = *transaction_ != definitions_;
      transaction_.reset();
      if (!has_definitions)
        source_.unsupported(at, "ROLLBACK outside a session is");
      // A file that tries what it defines and throws it away is read for what
      // it defines.
      notes_.push_back(
          "ROLLBACK is taken as COMMIT, as there are definitions before it "
          "(line " +
          std::to_string(at.line) + ")");
      return;
    }
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      source_.unsupported(at, "SAVEPOINT is");
    default: source_.unsupported(at, "two-phase commit is");
  }
}

}  // namespace txscope::sql
