// The functions of advisory locks.

#include <memory>
#include <string>
#include <utility>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {

std::optional<Expr> Functions::lock_function(const PgQuery__FuncCall& node,
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
  if (scope_.lifter == nullptr || scope_.levels.size() > 1 ||
      scope_.conditional > 0) {
    source().unsupported(at, "'" + std::string(name) + "' in a query is",
                         "make it a statement of its own");
  }
  const std::size_t mentioned = scope_.mentions.size();
  const bool is_open = !scope_.levels.empty();
  if (!is_open) scope_.levels.push_back(std::make_unique<OpenQuery>());
  for (const Node* argument : list(node.n_args, node.args)) {
    Expr key = all_.expressions.expr(argument);
    const Type wanted = {node.n_args == 2 ? TypeName::Integer
                                          : TypeName::BigInt};
    if (!converts(key.type, wanted)) {
      source().fail(at,
                    "the numbers of '" + std::string(name) + "' are integers");
    }
    lock.key.push_back(convert(source(), std::move(key), wanted));
  }
  if (!is_open) scope_.levels.pop_back();
  if (lock.key.size() > 2 || lock.key.empty() != lock.releases_all)
    source().fail(at, "'" + std::string(name) + "' takes one or two integers");
  return lifted_lock(std::move(lock), mentioned, node);
}

Expr Functions::lifted_lock(ExplicitLock lock, std::size_t mentioned,
                            const PgQuery__FuncCall& node) {
  const bool tells = (lock.gives_up || lock.is_released) && !lock.releases_all;
  const Type type = tells ? kBoolean : kText;
  const Span whole = scope_.tree.call(node.location);
  std::vector<DbStatement::Mention> mentions(
      scope_.mentions.begin() + static_cast<std::ptrdiff_t>(mentioned),
      scope_.mentions.end());
  scope_.mentions.resize(mentioned);
  const std::uint32_t slot = scope_.lifter->lift_lock(
      std::move(lock), type, std::move(mentions), whole);
  scope_.lifted.push_back(slot);
  return scope_.variable({slot, type}, whole);
}

}  // namespace txscope::sql::analyzer
