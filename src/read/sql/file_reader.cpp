#include "read/sql/file_reader.h"

#include <algorithm>
#include <array>

#include "read/sql/annotations.h"
#include "read/sql/schema_reader.h"

namespace txscope::sql {
namespace {

struct ForeignStatement {
  PgQuery__Node__NodeCase node;
  std::string_view what;
  std::string_view hint;
};

constexpr std::array<ForeignStatement, 33> kForeignStatements = {{
    {PG_QUERY__NODE__NODE_SELECT_STMT, "SELECT outside of a routine is",
     "it would change nothing; conditions go into --@ invariant"},
    {PG_QUERY__NODE__NODE_CALL_STMT, "CALL outside of a session is",
     "say who calls it: --@ session NAME: CALL ...;"},
    {PG_QUERY__NODE__NODE_DO_STMT, "DO is", "write the statements themselves"},
    {PG_QUERY__NODE__NODE_VIEW_STMT, "views are",
     "write the query where it is used"},
    {PG_QUERY__NODE__NODE_CREATE_TRIG_STMT, "triggers are",
     "write what they do in the transactions"},
    {PG_QUERY__NODE__NODE_RULE_STMT, "rules are", ""},
    {PG_QUERY__NODE__NODE_ALTER_TABLE_STMT, "ALTER TABLE is",
     "write the columns and constraints in CREATE TABLE"},
    {PG_QUERY__NODE__NODE_CREATE_SEQ_STMT, "CREATE SEQUENCE is",
     "use a serial or identity column"},
    {PG_QUERY__NODE__NODE_ALTER_SEQ_STMT, "ALTER SEQUENCE is", ""},
    {PG_QUERY__NODE__NODE_CREATE_ENUM_STMT, "CREATE TYPE is",
     "use text and CHECK (x IN (...))"},
    {PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT, "CREATE TYPE is", ""},
    {PG_QUERY__NODE__NODE_CREATE_RANGE_STMT, "CREATE TYPE is", ""},
    {PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT, "CREATE DOMAIN is",
     "use its type, and CHECK where it is used"},
    {PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT, "CREATE SCHEMA is",
     "all tables are in the schema public"},
    {PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT, "CREATE EXTENSION is", ""},
    {PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT, "CREATE TABLE AS is",
     "use CREATE TABLE and INSERT"},
    {PG_QUERY__NODE__NODE_COMMENT_STMT, "COMMENT ON is",
     "write a comment with --"},
    {PG_QUERY__NODE__NODE_VARIABLE_SET_STMT, "SET is",
     "levels are given by --@ level or the option --level"},
    {PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT, "SHOW is", ""},
    {PG_QUERY__NODE__NODE_GRANT_STMT, "GRANT and REVOKE are", ""},
    {PG_QUERY__NODE__NODE_CREATE_ROLE_STMT, "CREATE ROLE is", ""},
    {PG_QUERY__NODE__NODE_COPY_STMT, "COPY is", "use INSERT"},
    {PG_QUERY__NODE__NODE_TRUNCATE_STMT, "TRUNCATE is", "use DELETE"},
    {PG_QUERY__NODE__NODE_LOCK_STMT, "LOCK TABLE is",
     "use SELECT ... FOR UPDATE"},
    {PG_QUERY__NODE__NODE_EXPLAIN_STMT, "EXPLAIN is", ""},
    {PG_QUERY__NODE__NODE_VACUUM_STMT, "VACUUM and ANALYZE are", ""},
    {PG_QUERY__NODE__NODE_PREPARE_STMT, "PREPARE is", "use a procedure"},
    {PG_QUERY__NODE__NODE_EXECUTE_STMT, "EXECUTE is", "use a procedure"},
    {PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT, "DECLARE CURSOR is",
     "use a cursor in a PL/pgSQL routine"},
    {PG_QUERY__NODE__NODE_MERGE_STMT, "MERGE is", "use INSERT ... ON CONFLICT"},
    {PG_QUERY__NODE__NODE_CREATE_POLICY_STMT, "row-level security is", ""},
    {PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT, "ALTER FUNCTION is",
     "write it in CREATE FUNCTION"},
    {PG_QUERY__NODE__NODE_NOTIFY_STMT, "NOTIFY is", ""},
}};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

FileReader::FileReader(Application& application)
    : application_(application),
      source_(application.file, application.source),
      tokens_(scan_file()) {}

Tokens FileReader::scan_file() const {
  const std::string_view text = source_.text();
  const std::size_t start =
      text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const auto refuse_meta_command = [this](std::size_t at) {
    source_.unsupported(source_.span(at, 1), "a command of psql (\\...) is",
                        "leave it out; only SQL means something here");
  };
  Tokens tokens;
  try {
    tokens =
        scan(source_, text.substr(start), static_cast<std::uint32_t>(start));
  } catch (const Failure&) {
    // What follows a backslash may look like anything, such as a quote.
    if (text.substr(start).starts_with('\\')) refuse_meta_command(start);
    if (const std::size_t at = text.find("\n\\"); at != text.npos) {
      refuse_meta_command(at + 1);
    }
    throw;
  }
  for (const Token& token : tokens.list) {
    if (token.is("\\")) refuse_meta_command(token.offset);
  }
  return tokens;
}

void FileReader::read(bool needs_sessions) {
  const std::vector<Token>& tokens = tokens_.list;
  for (std::size_t from = 0; from < tokens.size();) {
    std::size_t to = from;
    int depth = 0;
    for (; to < tokens.size(); ++to) {
      if (tokens[to].is("(")) ++depth;
      if (tokens[to].is(")")) --depth;
      if (tokens[to].is(";") && depth <= 0) break;
    }
    if (to > from) statement(from, to);
    from = to + 1;
  }
  if (is_in_transaction_) {
    source_.fail(source_.span(source_.text().size(), 0), "BEGIN without COMMIT",
                 "psql would throw everything after it away");
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    application_.routines.push_back(read_body(source_, catalog_, texts_[i]));
  }
  AnnotationReader(source_, catalog_, application_)
      .read(tokens_.annotations, needs_sessions);
  application_.schema = std::move(catalog_.schema);
}

void FileReader::statement(std::size_t from, std::size_t to) {
  const std::vector<Token>& tokens = tokens_.list;
  const Span span = source_.span(tokens[from].offset,
                                 tokens[to - 1].end() - tokens[from].offset);
  const Tree tree =
      parse_statement(source_, tokens, source_.text(span), span.offset);
  const Node& node = tree.statement();
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      SchemaReader(tree, catalog_).create_table(*node.create_stmt);
      application_.load.push_back(span);
      return;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      SchemaReader(tree, catalog_).create_index(*node.index_stmt);
      application_.load.push_back(span);
      return;
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
      add_routine(tree);
      application_.load.push_back(span);
      return;
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
      setup(tree);
      application_.load.push_back(span);
      return;
    case PG_QUERY__NODE__NODE_DROP_STMT: drop(tree, *node.drop_stmt); return;
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
      transaction(tree, *node.transaction_stmt);
      return;
    default: refuse(tree);
  }
}

void FileReader::setup(const Tree& tree) {
  Analyzer analyzer(tree, catalog_, nullptr);
  application_.setup.push_back(analyzer.statement());
}

void FileReader::add_routine(const Tree& tree) {
  RoutineText text = read_signature(tree, catalog_);
  const PgQuery__CreateFunctionStmt& node =
      *tree.statement().create_function_stmt;
  Signature& signature = text.signature;
  if (const Signature* other = catalog_.routine(signature.name)) {
    const bool is_same = std::equal(
        signature.parameters.begin(), signature.parameters.end(),
        other->parameters.begin(), other->parameters.end(),
        [](const auto& a, const auto& b) { return a.type == b.type; });
    if (!node.replace || !is_same) {
      source_.unsupported(tree.whole(),
                          "several routines named '" + signature.name + "' are",
                          "give each a name of its own");
    }
    signature.id = other->id;
    const std::size_t i = signature.id.index;
    // What called the old one may count on tables still.
    signature.touches_tables = other->touches_tables;
    catalog_.routines[i] = signature;
    texts_[i] = std::move(text);
    table_users_.add(catalog_, texts_[i]);
    return;
  }
  signature.id = RoutineId(texts_.size());
  catalog_.add_routine(signature);
  texts_.push_back(std::move(text));
  table_users_.add(catalog_, texts_.back());
}

void FileReader::drop(const Tree& tree, const PgQuery__DropStmt& node) {
  if (!node.missing_ok) {
    source_.unsupported(tree.whole(), "DROP is",
                        "DROP ... IF EXISTS before CREATE is");
  }
  for (const Node* object : list(node.n_objects, node.objects)) {
    std::string_view name;
    if (object->node_case == PG_QUERY__NODE__NODE_LIST) {
      const PgQuery__List& parts = *object->list;
      name = string_of(parts.items[parts.n_items - 1]);
    } else if (object->node_case == PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS) {
      const PgQuery__ObjectWithArgs& routine = *object->object_with_args;
      name = string_of(routine.objname[routine.n_objname - 1]);
    }
    if (catalog_.table(name) || catalog_.routine(name) != nullptr) {
      source_.unsupported(tree.whole(),
                          "DROP of '" + std::string(name) +
                              "', which this file has created, is",
                          "drop before you create");
    }
  }
}

void FileReader::transaction(const Tree& tree,
                             const PgQuery__TransactionStmt& node) {
  const Span at = tree.whole();
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
      if (is_in_transaction_) source_.fail(at, "BEGIN inside a transaction");
      is_in_transaction_ = true;
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
      if (!is_in_transaction_) source_.fail(at, "COMMIT without BEGIN");
      is_in_transaction_ = false;
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      source_.unsupported(at, "ROLLBACK outside of a session is");
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      source_.unsupported(at, "SAVEPOINT is");
    default: source_.unsupported(at, "two-phase commit is");
  }
}

void FileReader::refuse(const Tree& tree) const {
  const auto node = tree.statement().node_case;
  const Span whole = tree.whole();
  const Span at = source_.span(whole.offset, std::min(whole.length, 20u));
  for (const ForeignStatement& foreign : kForeignStatements) {
    if (foreign.node == node) {
      source_.unsupported(at, foreign.what, std::string(foreign.hint));
    }
  }
  const std::string_view text = source_.text(whole);
  std::string words(text.substr(0, text.find_first_of(" \t\n(;")));
  for (char& c : words) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  source_.unsupported(at, "this " + words + " statement is");
}

}  // namespace txscope::sql
