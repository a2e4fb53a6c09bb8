#include <algorithm>

#include "read/sql/plpgsql/routine_builder.h"

namespace txscope::sql {
namespace {

template <class Constraint>
bool has_deferrable(const std::vector<Constraint>& all, std::string_view name,
                    bool& is_known) {
  return std::any_of(all.begin(), all.end(), [&](const Constraint& one) {
    if (one.name != name) return false;
    is_known = true;
    return one.is_deferrable;
  });
}

}  // namespace

void RoutineBuilder::set_constraints(const Tree& tree, PlBlock& out) {
  const PgQuery__ConstraintsSetStmt& node =
      *tree.statement().constraints_set_stmt;
  if (is_trigger) {
    source_.unsupported(tree.whole(), "SET CONSTRAINTS in a trigger is");
  }
  PlSetConstraints set;
  set.is_deferred = node.deferred;
  for (const Node* item : list(node.n_constraints, node.constraints)) {
    const std::string name(view(item->range_var->relname));
    bool is_known = false;
    bool is_deferrable = false;
    for (const Table& table : catalog_.schema.tables) {
      is_deferrable |= has_deferrable(table.foreign, name, is_known) ||
                       has_deferrable(table.unique, name, is_known) ||
                       has_deferrable(table.triggers, name, is_known);
    }
    for (const TriggerText& text : catalog_.triggers) {
      if (text.trigger.name != name) continue;
      is_known = true;
      is_deferrable |= text.trigger.is_deferrable;
    }
    const Span at = tree.at(item->range_var->location);
    if (!is_known) source_.fail(at, "unknown constraint '" + name + "'");
    if (!is_deferrable)
      source_.fail(at, "the constraint '" + name + "' is not deferrable");
    set.names.push_back(name);
  }
  if (!set.names.empty() && !set.is_deferred) {
    source_.unsupported(tree.whole(), "SET CONSTRAINTS of some IMMEDIATE is",
                        "write SET CONSTRAINTS ALL IMMEDIATE");
  }
  PlStatement statement;
  statement.at = tree.whole();
  statement.what = std::move(set);
  out.push_back(std::move(statement));
}

}  // namespace txscope::sql
