#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/sql/query/facts.h"
#include "model/sql/schema.h"

namespace txscope::sql {

/// How one relation of FROM is read, given those before it.
struct RelationPlan {
  /// `column` must equal `value`, which can be evaluated before.
  struct Probe {
    std::uint32_t column = 0;
    const Expr* value = nullptr;
  };
  std::vector<Probe> equal;
  /// Conjuncts that mention no column but those of its primary key; not given
  /// if `equal` has the whole key.
  std::vector<const Expr*> key;
  /// Conjuncts that its rows have to fulfil: those on it alone, tested while it
  /// is scanned, and those that mention others or may scan tables themselves.
  std::vector<const Expr*> now;
  std::vector<const Expr*> later;
  /// Of an outer join: conjuncts of WHERE, tested with NULLs filled in.
  std::vector<const Expr*> after;
  /// Something in `equal` mentions relations before it.
  bool depends_on_others = false;
};

/// Where each conjunct of WHERE and of the conditions of joins is tested: as
/// soon as all that it mentions is there, but what decides a left join only
/// there.
struct Plan {
  std::vector<const Expr*> before;  ///< mention no relation
  std::vector<RelationPlan> relations;
};

[[nodiscard]] Plan plan_of(const Schema& schema,
                           std::span<const Relation> relations,
                           std::span<const Join> joins,
                           const std::optional<Expr>& where);

}  // namespace txscope::sql
