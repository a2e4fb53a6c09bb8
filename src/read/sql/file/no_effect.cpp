#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "read/sql/file/reader.h"

// Statements that change no answer, and those that cannot be run.
namespace txscope::sql {
namespace {

struct ForeignStatement {
  PgQuery__Node__NodeCase node;
  std::string_view what;
  std::string_view hint;
};

/// Statements that would change something and cannot be run.
constexpr std::array<ForeignStatement, 7> kForeignStatements = {{
    {PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT, "ALTER DOMAIN is", ""},
    {PG_QUERY__NODE__NODE_TRUNCATE_STMT, "TRUNCATE is", "use DELETE"},
    {PG_QUERY__NODE__NODE_PREPARE_STMT, "PREPARE is", "use a procedure"},
    {PG_QUERY__NODE__NODE_EXECUTE_STMT, "EXECUTE is", "use a procedure"},
    {PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT, "DECLARE CURSOR is",
     "use a cursor in a PL/pgSQL routine"},
    {PG_QUERY__NODE__NODE_DO_STMT, "this DO is", ""},
    {PG_QUERY__NODE__NODE_ALTER_TYPE_STMT, "ALTER TYPE is", ""},
}};

struct Harmless {
  PgQuery__Node__NodeCase node;
  std::string_view name;
};

/// Statements that change no answer: sessions run as a superuser, and nothing
/// that they do depends on these.
constexpr std::array<Harmless, 45> kHarmless = {{
    {PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT, "REFRESH"},
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
    {PG_QUERY__NODE__NODE_DROP_TABLE_SPACE_STMT, "DROP TABLESPACE"},
    {PG_QUERY__NODE__NODE_ALTER_TSCONFIGURATION_STMT, "ALTER TEXT SEARCH"},
    {PG_QUERY__NODE__NODE_ALTER_TSDICTIONARY_STMT, "ALTER TEXT SEARCH"},
    {PG_QUERY__NODE__NODE_SEC_LABEL_STMT, "SECURITY LABEL"},
    {PG_QUERY__NODE__NODE_CREATE_CAST_STMT, "CREATE CAST"},
    {PG_QUERY__NODE__NODE_DEFINE_STMT, "CREATE AGGREGATE or OPERATOR"},
    {PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT, "SET SCHEMA"},
}};

}  // namespace

void FileReader::other(const Tree& tree) {
  const Node& node = tree.statement();
  if (node.node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT) {
    transaction(tree, *node.transaction_stmt);
    return;
  }
  // An extension changes no answer of ours, but a server needs it for what
  // follows: EXCLUDE over integers, functions in defaults.
  const bool is_extension =
      node.node_case == PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT;
  has_extension_ |= is_extension;
  if (note_schemas(node) || is_extension)
    application_.load.push_back(tree.whole());
  for (const Harmless& harmless : kHarmless) {
    if (harmless.node != node.node_case) continue;
    ++left_out_[std::string(harmless.name)];
    return;
  }
  refuse(tree);
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
    c = ascii::upper(c);
  }
  source_.unsupported(at, "this " + words + " statement is");
}

}  // namespace txscope::sql
