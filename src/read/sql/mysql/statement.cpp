// Which statement it is.

#include <algorithm>
#include <array>

#include "read/sql/mysql/parser.h"

namespace txscope::sql {

using Node = PgQuery__Node;

void MysqlParser::skip_statement() { at_ = tokens_.size(); }

/// One that changes no answer: the rest of it is read over.
Node* MysqlParser::harmless(Node* node) {
  skip_statement();
  return node;
}

std::shared_ptr<MysqlStatement> MysqlParser::statement() {
  if (tokens_.empty()) fail("a statement");
  Node*& root = made_->root;
  const auto take = [&](std::string_view word) { return accept(word); };
  if (is("select") || is("(") || is("with") || is("values")) {
    root = select_statement();
    // WITH ... UPDATE and DELETE are MySQL's.
    if (is("update") || is("delete")) unsupported("WITH before this is");
  } else if (take("insert")) {
    root = insert(false);
  } else if (take("replace")) {
    root = insert(true);
  } else if (take("update")) {
    root = update();
  } else if (take("delete")) {
    root = remove();
  } else if (take("create")) {
    root = create();
  } else if (take("alter")) {
    if (accept("table") || accept_all({"ignore", "table"})) {
      root = alter_table();
    } else {
      auto* other = nodes_.make<PgQuery__CreatedbStmt>();
      root = harmless(nodes_.wrap(other));
    }
  } else if (take("drop")) {
    root = drop();
  } else if (take("rename")) {
    if (accept("user")) {
      root = harmless(nodes_.wrap(nodes_.make<PgQuery__CreateRoleStmt>()));
    } else {
      expect("table");
      root = rename_table();
    }
  } else if (take("truncate")) {
    root = truncate();
  } else if (take("call")) {
    root = call_statement();
  } else if (is("start") || is("begin") || is("commit") || is("rollback") ||
             is("savepoint") || is("release")) {
    root = transaction();
  } else if (take("set")) {
    root = set_statement();
  } else if (is("use")) {
    root = harmless(nodes_.wrap(nodes_.make<PgQuery__CreatedbStmt>()));
  } else if (is("lock") || is("unlock")) {
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
    nodes_.set(select->n_target_list, select->target_list, select_items());
    root = nodes_.wrap(select);
  } else if (is("load")) {
    unsupported("LOAD DATA is", "use INSERT");
  } else if (is("handler")) {
    unsupported("HANDLER is", "use SELECT");
  } else {
    fail("a statement");
  }
  finish();
  return made_;
}

}  // namespace txscope::sql
