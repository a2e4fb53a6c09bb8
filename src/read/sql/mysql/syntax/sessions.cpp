// TRUNCATE, CALL, transactions, SET.

#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

Node* Sessions::truncate() {
  (void)accept("table");
  auto* made = nodes_.make<PgQuery__TruncateStmt>();
  nodes_.set(made->n_relations, made->relations, {nodes_.wrap(table_name())});
  return nodes_.wrap(made);
}

Node* Sessions::call_statement() {
  auto* made = nodes_.make<PgQuery__CallStmt>();
  auto* node = nodes_.make<PgQuery__FuncCall>();
  node->location = location();
  nodes_.set(node->n_funcname, node->funcname, qualified_name("a procedure"));
  if (accept("(")) {
    if (!is(")"))
      nodes_.set(node->n_args, node->args, all_.expressions.expr_list());
    expect(")");
  }
  made->funccall = node;
  return nodes_.wrap(made);
}

Node* Sessions::transaction() {
  auto* made = nodes_.make<PgQuery__TransactionStmt>();
  using enum PgQuery__TransactionStmtKind;
  const auto savepoint = [&](PgQuery__TransactionStmtKind kind) {
    made->kind = kind;
    made->savepoint_name = nodes_.text(name("a savepoint"));
    return nodes_.wrap(made);
  };
  if (accept("begin")) {
    (void)accept("work");
    made->kind = PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN;
    return nodes_.wrap(made);
  }
  if (accept("start")) {
    expect("transaction");
    made->kind = PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START;
    do {
      if (accept_all({"with", "consistent", "snapshot"})) {
        made_->takes_snapshot = true;
        continue;
      }
      if (accept("read"))
        if (!accept("only")) expect("write");
    } while (accept(","));
    return nodes_.wrap(made);
  }
  if (accept("savepoint"))
    return savepoint(PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT);
  if (accept("release")) {
    expect("savepoint");
    return savepoint(PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE);
  }
  const bool is_commit = accept("commit");
  if (!is_commit) expect("rollback");
  (void)accept("work");
  if (!is_commit && accept("to")) {
    (void)accept("savepoint");
    return savepoint(PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO);
  }
  made->kind = is_commit ? PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT
                         : PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK;
  if (accept("and")) {
    if (accept("no")) {
      expect("chain");
    } else {
      expect("chain");
      made->chain = 1;
    }
  }
  if (accept_all({"no", "release"}) || accept("release")) {
  }
  return nodes_.wrap(made);
}

/// One variable and its value.
void Sessions::assignment() {
  if (!accept("global") && !accept("session") && !accept("local"))
    (void)accept("persist");
  MysqlStatement::Assignment one;
  const std::size_t first = at_;
  if (!is_name() && !peek().word.starts_with('@')) fail("a variable");
  one.name = known(tokens_[at_++]);
  if (accept(".")) one.name += "." + name("a column");
  one.at = since(first);
  if (!accept(":=")) expect("=");
  const bool is_binary =
      is("binary") && (is(",", 1) || at_ + 1 == tokens_.size());
  const bool is_word = is("on") || is("default") || is_binary ||
                       (is_name() && one.name.starts_with("@@"));
  if (is_word) {
    ++at_;
  } else if (one.name.starts_with("@@") || peek().word.starts_with("@@")) {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (depth == 0 && is(",")) break;
      if (is("(")) ++depth;
      if (is(")")) --depth;
    }
  } else {
    const std::size_t value = at_;
    (void)all_.expressions.expr();
    one.value = since(value);
  }
  made_->assignments.push_back(std::move(one));
}

Node* Sessions::set_statement() {
  auto* made = nodes_.make<PgQuery__VariableSetStmt>();
  made->kind = PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE;
  if (is("names") || is("charset") || (is("character") && is("set", 1)) ||
      is("password") || (is("default") && is("role", 1)) || is("role")) {
    made->name = nodes_.text("names");
    skip_statement();
    return nodes_.wrap(made);
  }
  const std::size_t scope =
      is("global") || is("session") || is("local") ? 1 : 0;
  if (is("transaction", scope)) {
    made->name =
        nodes_.text(scope == 0 ? "TRANSACTION" : "SESSION TRANSACTION");
    at_ += scope + 1;
    List options;
    do {
      if (accept_all({"isolation", "level"})) {
        auto* option = nodes_.make<PgQuery__DefElem>();
        option->defname = nodes_.text("transaction_isolation");
        option->location = location();
        std::string level = peek().word;
        ++at_;
        while (peek().kind == TokenKind::Word && !is(","))
          level += " " + tokens_[at_++].word;
        option->arg = nodes_.text_node(level, option->location);
        options.push_back(nodes_.wrap(option));
      } else {
        expect("read");
        if (!accept("only")) expect("write");
      }
    } while (accept(","));
    nodes_.set(made->n_args, made->args, options);
    return nodes_.wrap(made);
  }
  do {
    assignment();
  } while (accept(","));
  made->name = nodes_.text(made_->assignments[0].name);
  return nodes_.wrap(made);
}

}  // namespace txscope::sql::syntax
