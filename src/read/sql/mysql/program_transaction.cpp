// Where transactions begin and end.

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "read/sql/mysql/program.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

/// COMMIT or ROLLBACK: what is open ends.
void MysqlProgram::end(bool is_commit, Span at, PlBlock& out) {
  ++changes_;
  emit(out, at, PlEnd{is_commit});
  transaction_ =
      is_autocommit_ ? MysqlTransaction::None : MysqlTransaction::Open;
}

/// START TRANSACTION WITH CONSISTENT SNAPSHOT: a statement that reads nothing.
void MysqlProgram::take_snapshot(Span at, PlBlock& out) const {
  auto nothing = std::make_shared<Query>();
  nothing->at = at;
  nothing->targets.push_back({"1", constant(Value::integer(1), kInteger, at)});
  PlExecute execute;
  execute.statement.at = at;
  execute.statement.what = Select(std::move(nothing));
  execute.statement.takes_snapshot = true;
  execute.is_expression = true;
  emit(out, at, std::move(execute));
}

void MysqlProgram::transaction_statement(PlBlock& out) {
  const Span start = here();
  const std::size_t end_at = find({";"});
  const Tree tree = parse(at_, end_at);
  at_ = end_at;
  const PgQuery__TransactionStmt& node = *tree.statement().transaction_stmt;
  if (transaction_ == MysqlTransaction::Nested)
    source_.fail(start,
                 "explicit or implicit commit is not allowed in stored "
                 "function or trigger");
  const std::string point(view(node.savepoint_name));
  const auto savepoint = [&](PlSavepoint::Kind kind) {
    PlSavepoint made;
    made.kind = kind;
    made.name = point;
    const auto found =
        std::find(savepoints_.rbegin(), savepoints_.rend(), point);
    if (kind == PlSavepoint::Kind::Set) {
      savepoints_.push_back(point);
    } else if (found == savepoints_.rend()) {
      source_.fail(start, "there is no savepoint '" + point + "' here");
    } else {
      savepoints_.erase(
          kind == PlSavepoint::Kind::Release ? found.base() - 1 : found.base(),
          savepoints_.end());
    }
    emit(out, start, std::move(made));
  };
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
      if (transaction_ != MysqlTransaction::None) emit(out, start, PlEnd{true});
      transaction_ = MysqlTransaction::Open;
      ++changes_;
      if (tree.mysql()->takes_snapshot) take_snapshot(tree.whole(), out);
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      end(node.kind == PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT,
          start, out);
      if (node.chain) transaction_ = MysqlTransaction::Open;
      return;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
      return savepoint(PlSavepoint::Kind::Set);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
      return savepoint(PlSavepoint::Kind::Release);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      return savepoint(PlSavepoint::Kind::RollBackTo);
    default: source_.unsupported(start, "this statement is");
  }
}

/// TRUNCATE: a transaction of its own, which deletes all rows.
void MysqlProgram::truncate(PlBlock& out) {
  const Span start = here();
  const Tree named = parse(at_, find({";"}));
  at_ = find({";"});
  if (transaction_ == MysqlTransaction::Nested)
    source_.fail(start,
                 "explicit or implicit commit is not allowed in stored "
                 "function or trigger");
  if (transaction_ != MysqlTransaction::None) end(true, start, out);
  builder_.catalog().assumed.insert(
      "TRUNCATE (line " + std::to_string(start.line) +
      ") deletes all rows and commits; numbers go on");
  const PgQuery__RangeVar& table =
      *named.statement().truncate_stmt->relations[0]->range_var;
  const std::string text = "DELETE FROM `" + std::string(table.relname) + "`";
  const std::uint32_t offset = source_.append(text, named.whole());
  const Tokens tokens = scan(source_, text, offset);
  builder_.execute(parse_statement(source_, tokens.list, text, offset),
                   std::nullopt, {}, false, false, out);
  end(true, start, out);
}

void MysqlProgram::set_server_variable(std::string_view called, Span value,
                                       PlBlock& out) {
  if (called == "autocommit") {
    const std::string_view to = source_.text(value);
    const bool is_on = to.find('1') != std::string_view::npos ||
                       to.find("ON") != std::string_view::npos ||
                       to.find("on") != std::string_view::npos ||
                       to.find("TRUE") != std::string_view::npos;
    const bool is_text_of_set = to.size() > 8;  // SET autocommit = ON
    const bool turns_on = is_text_of_set
                              ? to.find("= 1") != std::string_view::npos ||
                                    to.find("ON") != std::string_view::npos ||
                                    to.find(" on") != std::string_view::npos
                              : is_on;
    if (transaction_ == MysqlTransaction::Nested)
      source_.fail(value, "autocommit cannot be set in a function or trigger");
    ++changes_;
    if (turns_on && !is_autocommit_ && transaction_ != MysqlTransaction::None)
      emit(out, value, PlEnd{true});
    is_autocommit_ = turns_on;
    if (turns_on) {
      transaction_ = MysqlTransaction::None;
    } else if (transaction_ == MysqlTransaction::None) {
      transaction_ = MysqlTransaction::Open;
    }
    return;
  }
  constexpr std::array<std::string_view, 3> kMatter = {
      "foreign_key_checks", "sql_mode", "sql_select_limit"};
  if (std::find(kMatter.begin(), kMatter.end(), called) != kMatter.end())
    source_.unsupported(value, "SET of " + std::string(called) + " here is");
}

}  // namespace txscope::sql
