// LOCK TABLE and the functions of advisory locks.

#include <algorithm>

#include "read/sql/plpgsql/routine_builder.h"

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

std::optional<Expr> Analyzer::lock_function(const PgQuery__FuncCall& node,
                                            std::string_view name, Span at) {
  std::string_view rest = name;
  const auto cut = [&](std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  };
  ExplicitLock lock;
  lock.mode = ExplicitLock::Mode::Exclusive;
  if (!cut("pg_")) return std::nullopt;
  lock.gives_up = cut("try_");
  if (!cut("advisory_")) return std::nullopt;
  lock.is_session = !cut("xact_");
  if (rest == "unlock_all") {
    lock.releases_all = lock.is_released = true;
  } else {
    lock.is_released = cut("un");
    if (!cut("lock")) return std::nullopt;
    if (cut("_shared")) lock.mode = ExplicitLock::Mode::Share;
    if (!rest.empty()) return std::nullopt;
  }
  if (lifter_ == nullptr || levels_.size() > 1 || conditional_ > 0) {
    source().unsupported(at, "'" + std::string(name) + "' in a query is",
                         "make it a statement of its own");
  }
  const std::size_t mentioned = mentions_.size();
  const bool is_open = !levels_.empty();
  if (!is_open) levels_.push_back(std::make_unique<Level>());
  for (const Node* argument : list(node.n_args, node.args)) {
    Expr key = expr(argument);
    const Type wanted = {node.n_args == 2 ? TypeName::Integer
                                          : TypeName::BigInt};
    if (!converts(key.type, wanted)) {
      source().fail(at,
                    "the numbers of '" + std::string(name) + "' are integers");
    }
    lock.key.push_back(convert(source(), std::move(key), wanted));
  }
  if (!is_open) levels_.pop_back();
  if (lock.key.size() > 2 || lock.key.empty() != lock.releases_all)
    source().fail(at, "'" + std::string(name) + "' takes one or two integers");
  const bool tells = (lock.gives_up || lock.is_released) && !lock.releases_all;
  const Type type = tells ? kBoolean : kText;
  const Span whole = tree_.call(node.location);
  std::vector<DbStatement::Mention> mentions(
      mentions_.begin() + static_cast<std::ptrdiff_t>(mentioned),
      mentions_.end());
  mentions_.resize(mentioned);
  const std::uint32_t slot =
      lifter_->lift_lock(std::move(lock), type, std::move(mentions), whole);
  lifted_.push_back(slot);
  return variable({slot, type}, whole);
}

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
