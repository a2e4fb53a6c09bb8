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

/// Statements that would change something and cannot be run.
constexpr std::array<ForeignStatement, 9> kForeignStatements = {{
    {PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT, "ALTER DOMAIN is", ""},
    {PG_QUERY__NODE__NODE_TRUNCATE_STMT, "TRUNCATE is", "use DELETE"},
    {PG_QUERY__NODE__NODE_PREPARE_STMT, "PREPARE is", "use a procedure"},
    {PG_QUERY__NODE__NODE_EXECUTE_STMT, "EXECUTE is", "use a procedure"},
    {PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT, "DECLARE CURSOR is",
     "use a cursor in a PL/pgSQL routine"},
    {PG_QUERY__NODE__NODE_MERGE_STMT, "MERGE is", "use INSERT ... ON CONFLICT"},
    {PG_QUERY__NODE__NODE_RENAME_STMT, "RENAME is",
     "use the new name where it is created"},
    {PG_QUERY__NODE__NODE_DO_STMT, "this DO is", ""},
    {PG_QUERY__NODE__NODE_ALTER_TYPE_STMT, "ALTER TYPE is", ""},
}};

struct Harmless {
  PgQuery__Node__NodeCase node;
  std::string_view name;
};

/// Statements that change no answer: sessions run as a superuser, and nothing
/// that they do depends on these.
constexpr std::array<Harmless, 41> kHarmless = {{
    {PG_QUERY__NODE__NODE_COMMENT_STMT, "COMMENT"},
    {PG_QUERY__NODE__NODE_VARIABLE_SET_STMT, "SET"},
    {PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT, "SHOW"},
    {PG_QUERY__NODE__NODE_GRANT_STMT, "GRANT"},
    {PG_QUERY__NODE__NODE_GRANT_ROLE_STMT, "GRANT"},
    {PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT,
     "ALTER DEFAULT PRIVILEGES"},
    {PG_QUERY__NODE__NODE_ALTER_OWNER_STMT, "OWNER"},
    {PG_QUERY__NODE__NODE_CREATE_ROLE_STMT, "CREATE ROLE"},
    {PG_QUERY__NODE__NODE_ALTER_ROLE_STMT, "ALTER ROLE"},
    {PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT, "ALTER ROLE"},
    {PG_QUERY__NODE__NODE_DROP_ROLE_STMT, "DROP ROLE"},
    {PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT, "CREATE EXTENSION"},
    {PG_QUERY__NODE__NODE_ALTER_EXTENSION_STMT, "ALTER EXTENSION"},
    {PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT, "CREATE SCHEMA"},
    {PG_QUERY__NODE__NODE_CREATEDB_STMT, "CREATE DATABASE"},
    {PG_QUERY__NODE__NODE_DROPDB_STMT, "DROP DATABASE"},
    {PG_QUERY__NODE__NODE_ALTER_DATABASE_STMT, "ALTER DATABASE"},
    {PG_QUERY__NODE__NODE_ALTER_DATABASE_SET_STMT, "ALTER DATABASE"},
    {PG_QUERY__NODE__NODE_ALTER_SYSTEM_STMT, "ALTER SYSTEM"},
    {PG_QUERY__NODE__NODE_CREATE_POLICY_STMT, "CREATE POLICY"},
    {PG_QUERY__NODE__NODE_ALTER_POLICY_STMT, "ALTER POLICY"},
    {PG_QUERY__NODE__NODE_CREATE_PUBLICATION_STMT, "CREATE PUBLICATION"},
    {PG_QUERY__NODE__NODE_ALTER_PUBLICATION_STMT, "ALTER PUBLICATION"},
    {PG_QUERY__NODE__NODE_CREATE_SUBSCRIPTION_STMT, "CREATE SUBSCRIPTION"},
    {PG_QUERY__NODE__NODE_CREATE_STATS_STMT, "CREATE STATISTICS"},
    {PG_QUERY__NODE__NODE_NOTIFY_STMT, "NOTIFY"},
    {PG_QUERY__NODE__NODE_LISTEN_STMT, "LISTEN"},
    {PG_QUERY__NODE__NODE_UNLISTEN_STMT, "UNLISTEN"},
    {PG_QUERY__NODE__NODE_EXPLAIN_STMT, "EXPLAIN"},
    {PG_QUERY__NODE__NODE_VACUUM_STMT, "VACUUM"},
    {PG_QUERY__NODE__NODE_CLUSTER_STMT, "CLUSTER"},
    {PG_QUERY__NODE__NODE_REINDEX_STMT, "REINDEX"},
    {PG_QUERY__NODE__NODE_CHECK_POINT_STMT, "CHECKPOINT"},
    {PG_QUERY__NODE__NODE_DISCARD_STMT, "DISCARD"},
    {PG_QUERY__NODE__NODE_LOCK_STMT, "LOCK TABLE"},
    {PG_QUERY__NODE__NODE_CREATE_EVENT_TRIG_STMT, "CREATE EVENT TRIGGER"},
    {PG_QUERY__NODE__NODE_CREATE_TABLE_SPACE_STMT, "CREATE TABLESPACE"},
    {PG_QUERY__NODE__NODE_SEC_LABEL_STMT, "SECURITY LABEL"},
    {PG_QUERY__NODE__NODE_CREATE_CAST_STMT, "CREATE CAST"},
    {PG_QUERY__NODE__NODE_DEFINE_STMT, "CREATE AGGREGATE or OPERATOR"},
    {PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT, "SET SCHEMA"},
}};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

FileReader::FileReader(Application& application)
    : application_(application),
      source_(application.file, application.source),
      psql_(read_psql(application.source)),
      tokens_(scan_file()) {}

Tokens FileReader::scan_file() const {
  const std::string_view text = psql_.sql;
  const std::size_t start =
      text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  return scan(source_, text.substr(start), static_cast<std::uint32_t>(start));
}

void FileReader::read(bool needs_sessions) {
  read_now();
  const std::vector<Token>& tokens = tokens_.list;
  for (std::size_t from = 0; from < tokens.size();) {
    std::size_t to = from;
    int depth = 0;
    for (; to < tokens.size(); ++to) {
      if (tokens[to].is("(")) ++depth;
      if (tokens[to].is(")")) --depth;
      if (tokens[to].is(";") && depth <= 0) break;
    }
    if (to > from) attempt([&] { statement(from, to); });
    from = to + 1;
  }
  if (is_in_transaction_) {
    attempt([this] {
      source_.fail(source_.span(source_.text().size(), 0),
                   "BEGIN without COMMIT",
                   "psql would throw everything after it away");
    });
  }
  read_bodies();
  AnnotationReader(source_, catalog_, application_, errors_)
      .read(tokens_.annotations, needs_sessions);
  order_setup();
  write_notes();
  application_.schema = std::move(catalog_.schema);
}

void FileReader::attempt(const std::function<void()>& what) {
  try {
    what();
  } catch (Failure& failure) {
    errors_.push_back(std::move(failure.error));
  }
}

void FileReader::statement(std::size_t from, std::size_t to) {
  const std::vector<Token>& tokens = tokens_.list;
  const Span span = source_.span(tokens[from].offset,
                                 tokens[to - 1].end() - tokens[from].offset);
  auto tree = std::make_shared<const Tree>(
      parse_statement(source_, tokens, source_.text(span), span.offset));
  try {
    if (!definition(tree) && !data(*tree)) other(*tree);
  } catch (Failure& failure) {
    if (!failure.is_gap || !leave_out(*tree, failure.error)) throw;
  }
}

bool FileReader::definition(const std::shared_ptr<const Tree>& shared) {
  const Tree& tree = *shared;
  const Node& node = tree.statement();
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      SchemaReader(tree, catalog_).create_table(*node.create_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      SchemaReader(tree, catalog_).alter_table(*node.alter_table_stmt);
      break;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      SchemaReader(tree, catalog_).create_index(*node.index_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
      SchemaReader(tree, catalog_).create_sequence(*node.create_seq_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT: break;  // OWNED BY
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
      SchemaReader(tree, catalog_).create_enum(*node.create_enum_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT:
      SchemaReader(tree, catalog_).alter_enum(*node.alter_enum_stmt);
      break;
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT:
      SchemaReader(tree, catalog_).create_composite(*node.composite_type_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
      SchemaReader(tree, catalog_).create_domain(*node.create_domain_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT: {
      const std::size_t known = catalog_.triggers.size();
      SchemaReader(tree, catalog_).create_trigger(*node.create_trig_stmt);
      if (catalog_.triggers.size() > known)
        catalog_.triggers.back().trigger.since_setup =
            application_.setup.size();
      break;
    }
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT: add_routine(tree); break;
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT: break;
    case PG_QUERY__NODE__NODE_VIEW_STMT:
      add_view(shared, *node.view_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
      source_.unsupported(tree.whole(),
                          node.create_table_as_stmt->objtype ==
                                  PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW
                              ? "a materialized view is"
                              : "CREATE TABLE AS is",
                          "use CREATE TABLE and INSERT");
    case PG_QUERY__NODE__NODE_RULE_STMT:
      source_.unsupported(tree.whole(), "a rule is");
    case PG_QUERY__NODE__NODE_DROP_STMT:
      drop(tree, *node.drop_stmt);
      return true;
    default: return false;
  }
  application_.load.push_back(tree.whole());
  return true;
}

bool FileReader::data(const Tree& tree) {
  const Node& node = tree.statement();
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT: setup(tree); break;
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

void FileReader::other(const Tree& tree) {
  const Node& node = tree.statement();
  if (node.node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT) {
    transaction(tree, *node.transaction_stmt);
    return;
  }
  for (const Harmless& harmless : kHarmless) {
    if (harmless.node != node.node_case) continue;
    ++left_out_[std::string(harmless.name)];
    return;
  }
  refuse(tree);
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
    if (!is_same || !(node.replace || other->problem)) {
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
  const bool is_table = node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
  const bool is_routine =
      node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION ||
      node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ||
      node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE;
  for (const Node* object : list(node.n_objects, node.objects)) {
    std::string_view name;
    if (object->node_case == PG_QUERY__NODE__NODE_LIST) {
      const PgQuery__List& parts = *object->list;
      name = string_of(parts.items[parts.n_items - 1]);
    } else if (object->node_case == PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS) {
      const PgQuery__ObjectWithArgs& routine = *object->object_with_args;
      name = string_of(routine.objname[routine.n_objname - 1]);
    }
    const bool was_created = (is_table && catalog_.table(name)) ||
                             (is_routine && catalog_.routine(name) != nullptr);
    if (was_created) {
      source_.unsupported(tree.whole(),
                          "DROP of '" + std::string(name) +
                              "', which this file has created, is",
                          "drop before you create");
    }
  }
  if (node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER) {
    drop_trigger(node);
  }
  ++left_out_["DROP"];
}

void FileReader::drop_trigger(const PgQuery__DropStmt& node) {
  for (const Node* object : list(node.n_objects, node.objects)) {
    const PgQuery__List& parts = *object->list;
    if (parts.n_items < 2) continue;
    const auto table =
        catalog_.table(string_of(parts.items[parts.n_items - 2]));
    if (!table) continue;
    const std::string what =
        "the trigger '" +
        std::string(string_of(parts.items[parts.n_items - 1])) + "'";
    std::erase_if(catalog_.obstacles[table->index],
                  [&](const Obstacle& o) { return o.what == what; });
    const std::string_view name = string_of(parts.items[parts.n_items - 1]);
    std::erase_if(catalog_.triggers, [&](const TriggerText& t) {
      return t.table == *table && t.trigger.name == name;
    });
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
      is_in_transaction_ = false;
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      if (!is_in_transaction_) return;
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
