// LOCK TABLE and advisory locks as statements of a routine.

#include <memory>
#include <string>
#include <utility>

#include "base/suggest.h"
#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

DbStatement lock_statement(ExplicitLock lock, Value value, Type type, Span at) {
  auto query = std::make_shared<Query>();
  query->at = at;
  if (lock.is_advisory())
    query->targets.push_back({"lock", constant(value, type, at)});
  DbStatement statement;
  statement.at = at;
  statement.what = Select(std::move(query));
  statement.locks = std::make_shared<const ExplicitLock>(std::move(lock));
  return statement;
}

}  // namespace

std::uint32_t RoutineBuilder::lift_lock(
    ExplicitLock lock, Type type, std::vector<DbStatement::Mention> mentions,
    Span at) {
  PlExecute execute;
  const Value value = type == kBoolean ? Value::boolean(true) : Value::text("");
  execute.statement = lock_statement(std::move(lock), value, type, at);
  execute.statement.is_expression = true;
  execute.statement.mentions = std::move(mentions);
  execute.is_expression = true;
  const std::uint32_t slot = add_slot("", type, at);
  execute.into = {slot};
  execute.into_types = {type};
  PlStatement statement;
  statement.at = at;
  statement.what = std::move(execute);
  lifting_into_->push_back(std::move(statement));
  return slot;
}

void RoutineBuilder::lock_table(const Tree& tree, PlBlock& block) const {
  const PgQuery__LockStmt& node = *tree.statement().lock_stmt;
  ExplicitLock lock;
  lock.mode = static_cast<ExplicitLock::Mode>(node.mode - 1);
  lock.gives_up = node.nowait;
  for (const Node* item : list(node.n_relations, node.relations)) {
    const std::string name = catalog_.relation(qualified(*item->range_var));
    const auto table = catalog_.table(name);
    if (!table) {
      source_.fail(tree.dotted_name(item->range_var->location),
                   "unknown table '" + name + "'",
                   hint_among(name, catalog_.table_names(), "tables"));
    }
    lock.tables.push_back(*table);
  }
  const Span at = tree.whole();
  PlExecute execute;
  execute.statement = lock_statement(std::move(lock), {}, {}, at);
  execute.is_expression = true;
  PlStatement statement;
  statement.at = at;
  statement.what = std::move(execute);
  block.push_back(std::move(statement));
}

}  // namespace txscope::sql
