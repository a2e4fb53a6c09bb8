// MERGE: a join of USING with the target, and what is done with each row of it.

#include <algorithm>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {

DbStatement Changes::merge(const PgQuery__MergeStmt& node) {
  (void)all_.sets.open_with(node.with_clause);
  const auto clauses = list(node.n_merge_when_clauses, node.merge_when_clauses);
  const bool has_unmatched = std::any_of(
      clauses.begin(), clauses.end(),
      [](const Node* clause) { return !clause->merge_when_clause->matched; });
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  ++scope_.conditional;
  auto joined = std::make_shared<Query>();
  joined->at = scope_.tree.whole();
  level().clause = Clause::On;
  (void)all_.from.from_item(*joined, *node.source_relation, false);
  Merge merge;
  merge.target.table = scope_.table(*node.relation);
  (void)all_.from.add_table(*joined, *node.relation);
  merge.target = joined->relations.back();
  if (merge.target.table == kNone<TableId>) {
    source().fail(merge.target.at, "MERGE needs a table, not a query");
  }
  joined->joins.back() = {
      has_unmatched ? JoinKind::Left : JoinKind::Inner,
      all_.expressions.boolean(node.join_condition, "ON"),
  };
  merge.joined = joined;
  scope_.looks_at_tables = true;
  for (const Node* clause : clauses) {
    Merge::Arm arm = merge_arm(*clause->merge_when_clause, node, merge);
    const bool is_reached = std::none_of(
        merge.arms.begin(), merge.arms.end(), [&](const Merge::Arm& before) {
          return before.is_matched == arm.is_matched && !before.condition;
        });
    if (!is_reached) {
      source().fail(scope_.tree.whole(),
                    std::string("a WHEN ") +
                        (arm.is_matched ? "MATCHED" : "NOT MATCHED") +
                        " behind one without a condition is never reached");
    }
    merge.arms.push_back(std::move(arm));
  }
  --scope_.conditional;
  scope_.levels.pop_back();
  DbStatement result;
  result.what = std::move(merge);
  return result;
}

Merge::Arm Changes::merge_arm(const PgQuery__MergeWhenClause& node,
                              const PgQuery__MergeStmt& statement,
                              Merge& merge) {
  const TableId id = merge.target.table;
  const Table& table = scope_.catalog.schema.at(id);
  Merge::Arm arm;
  arm.is_matched = node.matched != 0;
  // WHEN NOT MATCHED there is no row of the target to speak of.
  std::optional<RelationNames> hidden;
  if (!arm.is_matched) {
    hidden = std::move(level().relations.back());
    level().relations.pop_back();
  }
  if (node.condition != nullptr) {
    level().clause = Clause::Where;
    arm.condition = all_.expressions.boolean(node.condition, "WHEN");
  }
  level().clause = Clause::Set;
  const auto targets = list(node.n_target_list, node.target_list);
  switch (node.command_type) {
    case PG_QUERY__CMD_TYPE__CMD_UPDATE: {
      Update update;
      update.target = merge.target;
      update.set = set_clause(targets, table);
      check_writable(*statement.relation, id, Write::Update, update.set);
      for (const SetColumn& set : update.set)
        merge.set.push_back({set.column, std::nullopt});
      arm.action = std::move(update);
      break;
    }
    case PG_QUERY__CMD_TYPE__CMD_DELETE: {
      Delete remove;
      remove.target = merge.target;
      check_writable(*statement.relation, id, Write::Delete, {});
      arm.action = std::move(remove);
      break;
    }
    case PG_QUERY__CMD_TYPE__CMD_INSERT:
      check_writable(*statement.relation, id, Write::Insert, {});
      arm.action = merge_insert(node, merge.target);
      break;
    default: break;  // DO NOTHING
  }
  if (hidden) level().relations.push_back(std::move(*hidden));
  return arm;
}

Insert Changes::merge_insert(const PgQuery__MergeWhenClause& node,
                             const Relation& target) {
  const Table& table = scope_.catalog.schema.at(target.table);
  Insert insert;
  insert.target = target;
  insert.columns =
      insert_columns(table, list(node.n_target_list, node.target_list));
  const auto values = list(node.n_values, node.values);
  for (std::uint32_t i = 0;
       insert.columns.size() < std::min(values.size(), table.columns.size()) &&
       node.n_target_list == 0;
       ++i) {
    insert.columns.push_back(i);
  }
  if (values.empty()) insert.columns.clear();  // DEFAULT VALUES
  check_width(insert, values.size());
  auto& row = insert.rows.emplace_back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT)
      row.emplace_back(std::nullopt);
    else
      row.emplace_back(assigned(all_.expressions.expr(values[i]),
                                table.columns[insert.columns[i]]));
  }
  if (node.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE) {
    source().unsupported(scope_.tree.whole(), "OVERRIDING USER VALUE is");
  }
  if (node.override != PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE)
    check_generated(insert);
  return insert;
}

}  // namespace txscope::sql::analyzer
