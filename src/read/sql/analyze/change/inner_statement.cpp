// Statements inside of statements: INSERT, UPDATE and DELETE in WITH, and
// queries that lock.

#include <algorithm>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {

DbStatement Parts::change(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT:
      return all_.changes.insert(*node.insert_stmt);
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
      return all_.changes.update(*node.update_stmt);
    case PG_QUERY__NODE__NODE_DELETE_STMT:
      return all_.changes.remove(*node.delete_stmt);
    case PG_QUERY__NODE__NODE_MERGE_STMT:
      return all_.changes.merge(*node.merge_stmt);
    default: break;
  }
  DbStatement select;
  select.what = Select(all_.queries.query(*node.select_stmt));
  return select;
}

std::shared_ptr<Query> Parts::part(const Node& node, Span at,
                                   std::uint64_t max_rows) {
  // UPDATE ... FROM reads its FROM once for every column that it sets.
  const auto known =
      std::find_if(scope_.parts.begin(), scope_.parts.end(),
                   [&](const Part& part) { return part.node == &node; });
  if (known != scope_.parts.end()) return known->rows;
  if (++scope_.depth > Program::kMaxNesting) {
    source().fail(at, "queries are nested too deeply here");
  }
  scope_.looks_at_tables = true;
  Part part;
  part.node = &node;
  part.made.max_rows = max_rows;
  part.rows = std::make_shared<Query>();
  part.rows->set = SetKind::Given;
  part.rows->at = at;
  // It runs once, whatever is around it.
  auto hidden = std::exchange(scope_.levels, {});
  std::swap(part.sources, sources_);
  ++scope_.conditional;
  DbStatement made = change(node);
  --scope_.conditional;
  std::swap(part.sources, sources_);
  scope_.levels = std::move(hidden);
  --scope_.depth;
  made.at = scope_.tree.whole();
  const std::vector<Target>& columns =
      made.is_select() ? std::get<Select>(made.what)->targets : made.returning;
  for (const Target& column : columns)
    part.rows->targets.push_back(
        {column.name, constant(Value(), column.expr.type, at)});
  part.made.statement = std::make_shared<const DbStatement>(std::move(made));
  scope_.parts.push_back(part);
  return part.rows;
}

std::shared_ptr<Query> Parts::part_query(const Node& node, Span at,
                                         std::uint64_t max_rows) {
  std::shared_ptr<Query> rows;
  try {
    rows = part(node, at, max_rows);
  } catch (const Failure& failure) {
    if (scope_.levels.empty() || failure.is_gap) throw;
    // Most likely it names what is around it, which it does not see.
    source().unsupported(
        at, "FOR UPDATE or FOR SHARE in a subquery that depends on rows is",
        "lock the rows by a SELECT of their own");
  }
  look_at_part(rows.get());
  auto query = std::make_shared<Query>();
  query->at = at;
  Relation relation;
  relation.query = rows;
  relation.columns = static_cast<std::uint32_t>(rows->targets.size());
  relation.at = at;
  for (std::uint32_t i = 0; i < relation.columns; ++i) {
    Expr column = make(Op::Column, rows->targets[i].expr.type, {}, at);
    column.index = i;
    query->targets.push_back({rows->targets[i].name, std::move(column)});
  }
  query->relations.push_back(std::move(relation));
  query->joins.emplace_back();
  return query;
}

void Parts::look_at_part(const Query* rows) {
  for (std::size_t i = 0; i < scope_.parts.size(); ++i)
    if (scope_.parts[i].rows.get() == rows) sources_.push_back(i);
}

// PostgreSQL runs a part when its rows are wanted.  What writes runs in any
// case: after the statement if nobody wants its rows, and then the last first.
void Parts::finish_parts(DbStatement& statement) {
  std::vector<bool> is_run(scope_.parts.size());
  // Depth: how long a chain of parts is that use one another.
  const auto run = [&](const auto& self, std::size_t i) -> void {
    if (is_run[i]) return;
    is_run[i] = true;
    for (const std::size_t source : scope_.parts[i].sources) self(self, source);
    scope_.parts[i].rows->number =
        static_cast<std::uint32_t>(statement.parts.size());
    statement.parts.push_back(scope_.parts[i].made);
  };
  for (const std::size_t source : sources_) run(run, source);
  statement.parts_before = statement.parts.size();
  for (std::size_t i = scope_.parts.size(); i-- > 0;)
    if (scope_.parts[i].made.statement->is_write()) run(run, i);
  scope_.parts.clear();
  sources_.clear();
}

}  // namespace txscope::sql::analyzer
