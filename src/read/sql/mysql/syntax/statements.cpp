// Which statement it is.

#include <algorithm>
#include <array>

#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

void Statements::statement() {
  if (tokens_.empty()) fail("a statement");
  Node*& root = made_->root;
  const auto take = [&](std::string_view word) { return accept(word); };
  if (is("select") || is("(") || is("with") || is("values")) {
    root = all_.queries.select_statement();
    // WITH ... UPDATE and DELETE are MySQL's.
    if (is("update") || is("delete")) unsupported("WITH before this is");
  } else if (take("insert")) {
    root = all_.changes.insert(false);
  } else if (take("replace")) {
    root = all_.changes.insert(true);
  } else if (take("update")) {
    root = all_.changes.update();
  } else if (take("delete")) {
    root = all_.changes.remove();
  } else if (take("create")) {
    root = all_.definitions.create();
  } else if (take("alter")) {
    if (accept("table") || accept_all({"ignore", "table"}) ||
        accept_all({"online", "table"})) {
      root = all_.alterations.alter_table();
    } else {
      constexpr std::array<std::string_view, 16> kOthers = {
          "database",  "schema",   "event",      "function",
          "procedure", "server",   "tablespace", "user",
          "view",      "sequence", "definer",    "algorithm",
          "sql",       "instance", "logfile",    "role"};
      if (std::none_of(kOthers.begin(), kOthers.end(),
                       [&](std::string_view word) { return is(word); }))
        fail("TABLE, VIEW or another thing to alter");
      auto* other = nodes_.make<PgQuery__CreatedbStmt>();
      root = harmless(nodes_.wrap(other));
    }
  } else if (take("drop")) {
    root = all_.definitions.drop();
  } else if (take("rename")) {
    if (accept("user")) {
      root = harmless(nodes_.wrap(nodes_.make<PgQuery__CreateRoleStmt>()));
    } else {
      expect("table");
      root = all_.alterations.rename_table();
    }
  } else if (take("truncate")) {
    root = all_.sessions.truncate();
  } else if (take("call")) {
    root = all_.sessions.call_statement();
  } else if (is("start") || is("begin") || is("commit") || is("rollback") ||
             is("savepoint") || is("release")) {
    root = all_.sessions.transaction();
  } else if (take("set")) {
    root = all_.sessions.set_statement();
  } else if (is("use")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__CreatedbStmt>()));
  } else if ((is("lock") || is("unlock")) &&
             (is("tables", 1) || is("table", 1))) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__LockStmt>()));
  } else if (is("grant") || is("revoke")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__GrantStmt>()));
  } else if (is("analyze") || is("optimize") || is("repair") || is("flush") ||
             is("check") || is("checksum") || is("reset") || is("purge") ||
             is("install") || is("uninstall") || is("kill") || is("help")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__VacuumStmt>()));
  } else if (is("show")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__VariableShowStmt>()));
  } else if (is("describe") || is("desc") || is("explain")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__ExplainStmt>()));
  } else if (is("prepare")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__PrepareStmt>()));
  } else if (is("execute") || is("deallocate")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__ExecuteStmt>()));
  } else if (take("do")) {
    auto* select = nodes_.select();
    nodes_.set(select->n_target_list, select->target_list,
               all_.queries.select_items());
    root = nodes_.wrap(select);
  } else if (is("load")) {
    unsupported("LOAD DATA is", "use INSERT");
  } else if (is("handler")) {
    unsupported("HANDLER is", "use SELECT");
  } else {
    fail("a statement");
  }
  finish();
}

void Statements::expression() {
  auto* select = nodes_.select();
  auto* target = nodes_.make<PgQuery__ResTarget>();
  target->location = location();
  target->val = all_.expressions.expr();
  nodes_.set(select->n_target_list, select->target_list, {nodes_.wrap(target)});
  finish();
  made_->root = nodes_.wrap(select);
}

void Statements::type() {
  auto* select = nodes_.select();
  auto* target = nodes_.make<PgQuery__ResTarget>();
  const std::int32_t where = location();
  target->val = nodes_.cast(nodes_.null_node(where),
                            all_.types.column_type().type, where);
  nodes_.set(select->n_target_list, select->target_list, {nodes_.wrap(target)});
  finish();
  made_->root = nodes_.wrap(select);
}

}  // namespace txscope::sql::syntax
