// Statements of a file in MySQL's syntax that share user variables: SET @a = 1;
// CALL p(@a, @b); INSERT ... VALUES (@b).

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "read/sql/file/reader.h"
#include "read/sql/mysql/program.h"
#include "read/sql/mysql/user_variables.h"

namespace txscope::sql {
namespace {

/// One that may stand in a block which the setup runs.
bool may_be_in_script(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_CALL_STMT: return true;
    default: return false;
  }
}

/// A CALL with arguments that are no constants of their parameters' types.
bool is_open_call(const Tree& tree, const Catalog& catalog) {
  const Node& node = tree.statement();
  if (node.node_case != PG_QUERY__NODE__NODE_CALL_STMT) return false;
  const PgQuery__FuncCall& call = *node.call_stmt->funccall;
  Analyzer analyzer(tree, catalog, nullptr);
  const Signature* routine = analyzer.meant(call);
  if (routine == nullptr) return false;
  const std::vector<Expr> arguments = analyzer.arguments(call, *routine);
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Expr& e) { return e.op != Op::Constant; });
}

bool changes_something(const PlBlock& body) {
  return std::any_of(body.begin(), body.end(), [](const PlStatement& s) {
    return !std::holds_alternative<PlAssign>(s.what);
  });
}

}  // namespace

/// Whether it became part of a block, with what came before it; another one
/// ends the block.
bool FileReader::script_statement(const Tree& tree) {
  const std::vector<Token>& tokens = tokens_.list;
  const Span whole = tree.whole();
  const std::size_t from = token_at(tokens, whole.offset);
  std::size_t to = from;
  while (to < tokens.size() && tokens[to].offset < whole.offset + whole.length)
    ++to;
  if (from >= to) return false;
  const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(from);
  const auto last = tokens.begin() + static_cast<std::ptrdiff_t>(to);
  // SET of the server's variables, as dumps keep and restore them, is none.
  const bool is_set = tokens[from].is("set");
  const bool is_servers =
      is_set && (!is_user_variable(tokens[from + 1]) ||
                 std::any_of(first, last, [](const Token& token) {
                   return token.word.starts_with("@@");
                 }));
  const bool is_one = !is_servers && may_be_in_script(tree.statement()) &&
                      more_rows_of(whole) == nullptr;
  const bool begins = std::any_of(first, last, is_user_variable) ||
                      (is_one && is_open_call(tree, catalog_));
  if (!is_one || (script_ == nullptr && !begins)) {
    if (!is_servers) end_script();
    return false;
  }
  if (only_shows_variables(tokens, from, to)) {
    ++left_out_["SELECT"];
    return true;
  }
  if (script_ == nullptr) {
    script_ = std::make_unique<RoutineBuilder>(source_, catalog_);
    script_->routine.name = "statements with user variables";
    script_->routine.is_block = true;
    script_->routine.at = whole;
    script_->routine.result = {TypeName::Void};
    script_->hide_found();
  }
  const std::vector<Token> own(first, last);
  // Nobody else is there: where its transactions end does not matter.
  PlBlock more =
      MysqlProgram(*script_, own, MysqlTransaction::Unsure).read_statements();
  std::move(more.begin(), more.end(),
            std::back_inserter(script_->routine.body));
  application_.load.push_back(whole);
  return true;
}

void FileReader::end_script() {
  const std::unique_ptr<RoutineBuilder> ended = std::move(script_);
  if (ended == nullptr || !changes_something(ended->routine.body)) return;
  add_block(std::move(ended->routine));
}

}  // namespace txscope::sql
