#include <algorithm>
#include <utility>

#include "read/sql/analyze/rooms.h"

// WITH RECURSIVE name AS (first UNION [ALL] second), where `second` names it.

namespace txscope::sql::analyzer {

void Sets::open_recursive(const PgQuery__CommonTableExpr& cte) {
  const Span at = scope_.tree.at(cte.location);
  if (cte.search_clause != nullptr || cte.cycle_clause != nullptr) {
    source().unsupported(at, "SEARCH or CYCLE of WITH RECURSIVE is",
                         "keep the path in an array");
  }
  if (cte.ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT ||
      cte.ctequery->select_stmt->op != PG_QUERY__SET_OPERATION__SETOP_UNION) {
    return;
  }
  CommonTable table;
  table.name = view(cte.ctename);
  for (std::size_t i = 0; i < cte.n_aliascolnames; ++i) {
    table.columns.emplace_back(string_of(cte.aliascolnames[i]));
  }
  recursive_ = std::move(table);
}

std::shared_ptr<Query> Sets::recursive_part(const PgQuery__SelectStmt& node,
                                            CommonTable table, Query& set,
                                            const Query& first) {
  auto working = std::make_shared<Query>();
  working->at = set.at;
  working->set = SetKind::Working;
  working->recursion = recursions_++;
  for (std::size_t i = 0; i < first.targets.size(); ++i) {
    const Target& target = first.targets[i];
    working->targets.push_back(
        {target.name, constant({}, target.expr.type, set.at)});
    if (i >= table.columns.size()) table.columns.push_back(target.name);
  }
  set.recursion = working->recursion;
  table.query = std::move(working);
  table.links = scope_.links;
  const std::string name = table.name;
  common_tables_.push_back(std::move(table));
  auto second = all_.queries.query(*node.rarg);
  const bool recurs = common_tables_.back().uses > 0;
  common_tables_.pop_back();
  if (!recurs) return second;
  set.set = SetKind::Recursive;
  if (node.n_sort_clause > 0 || node.limit_count != nullptr ||
      node.limit_offset != nullptr) {
    source().fail(set.at,
                  "ORDER BY, LIMIT and OFFSET of a recursive query are not "
                  "implemented",
                  "write them where '" + name + "' is used");
  }
  return second;
}

void Sets::use_recursive(CommonTable& table, Span at) {
  if (scope_.links > table.links) {
    source().fail(at, "recursive reference to query '" + table.name +
                          "' must not appear within a subquery");
  }
  if (++table.uses > 1) {
    source().fail(at, "recursive reference to query '" + table.name +
                          "' must not appear more than once");
  }
}

void Sets::check_recursive(const Query& query) {
  for (std::size_t i = 0; i < query.relations.size(); ++i) {
    const Relation& relation = query.relations[i];
    if (relation.query == nullptr || relation.query->set != SetKind::Working) {
      continue;
    }
    if (level().has_aggregate) {
      source().fail(relation.at,
                    "aggregate functions are not allowed in a recursive "
                    "query's recursive term");
    }
    if (level().relations[i].is_nullable) {
      source().fail(relation.at, "recursive reference to query '" +
                                     relation.name +
                                     "' must not appear within an outer join");
    }
  }
}

}  // namespace txscope::sql::analyzer
