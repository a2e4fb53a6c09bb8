#include "read/sql/analyze/analyzer.h"

#include <algorithm>
#include <memory>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql {

Analyzer::Analyzer(const Tree& tree, const Catalog& catalog, const Names* names,
                   Lifter* lifter)
    : rooms_(std::make_unique<analyzer::Rooms>(tree, catalog, names, lifter)) {}
Analyzer::~Analyzer() = default;

void Analyzer::speak(Dialect dialect) { rooms_->scope.dialect = dialect; }

DbStatement Analyzer::statement() {
  const Node& node = rooms_->scope.tree.statement();
  DbStatement result;
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT:
      result = rooms_->parts.change(node);
      break;
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
      rooms_->scope.source().unsupported(
          rooms_->scope.tree.whole(), "SET inside a transaction is",
          "a level is --@ level, or the option --level");
    default:
      rooms_->scope.source().fail(rooms_->scope.tree.whole(),
                                  "expected SELECT, INSERT, UPDATE or DELETE");
  }
  rooms_->parts.finish_parts(result);
  result.at = rooms_->scope.tree.whole();
  result.mentions = mentions();
  return result;
}

Expr Analyzer::expression() {
  const PgQuery__SelectStmt& select =
      *rooms_->scope.tree.statement().select_stmt;
  if (select.n_target_list != 1) {
    rooms_->scope.source().fail(rooms_->scope.tree.whole(),
                                "expected one expression");
  }
  const bool is_plain =
      select.n_from_clause == 0 && select.where_clause == nullptr &&
      select.n_group_clause == 0 && select.n_sort_clause == 0 &&
      select.into_clause == nullptr && select.n_locking_clause == 0 &&
      select.limit_count == nullptr;
  if (!is_plain || select.op != PG_QUERY__SET_OPERATION__SETOP_NONE) {
    rooms_->scope.source().unsupported(
        rooms_->scope.tree.whole(), "a query in place of an expression is",
        "write it in parentheses, as (SELECT ...)");
  }
  return of_row(*select.target_list[0]->res_target->val, nullptr);
}

Expr Analyzer::of_row(const Node& node, const Table* table, TableId id) {
  return rooms_->expressions.of_row(node, table, id);
}

std::vector<std::pair<std::string, Type>> Analyzer::columns_of(
    const View& made) {
  rooms_->scope.path = &made.path;
  const Tree& tree = rooms_->scope.tree;
  const auto query =
      rooms_->queries.subquery(tree.statement().view_stmt->query, tree.whole());
  std::vector<std::pair<std::string, Type>> columns;
  for (const Target& target : query->targets)
    columns.emplace_back(target.name, bare(target.expr.type));
  for (std::size_t i = 0; i < made.columns.size() && i < columns.size(); ++i)
    columns[i].first = made.columns[i];
  return columns;
}

const Signature* Analyzer::meant(const PgQuery__FuncCall& call) {
  return rooms_->calls.meant(call);
}

std::vector<Expr> Analyzer::arguments(const PgQuery__FuncCall& call,
                                      const Signature& routine,
                                      const std::set<std::size_t>& open) {
  return rooms_->calls.arguments(call, routine, open);
}

bool Analyzer::looks_at_tables() const { return rooms_->scope.looks_at_tables; }

void Analyzer::give_parts(DbStatement& statement) {
  rooms_->parts.finish_parts(statement);
}

std::optional<Span> Analyzer::record_test() const {
  return rooms_->scope.record_test;
}

const std::vector<std::uint32_t>& Analyzer::lifted() const {
  return rooms_->scope.lifted;
}

std::vector<DbStatement::Mention> Analyzer::mentions() const {
  auto all = rooms_->scope.mentions;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.at.offset < b.at.offset;
  });
  // What is analyzed several times is in the text once.
  all.erase(std::unique(all.begin(), all.end(),
                        [](const auto& a, const auto& b) {
                          return a.at.offset == b.at.offset;
                        }),
            all.end());
  return all;
}

}  // namespace txscope::sql
