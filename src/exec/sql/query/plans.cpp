#include "exec/sql/query/plans.h"

#include <variant>

#include "exec/sql/query/fold.h"
#include "exec/sql/routine/process.h"
#include "model/sql/parts.h"

namespace txscope::sql {

namespace {

std::unique_ptr<const SqlError> kept(std::optional<SqlError> error) {
  return error ? std::make_unique<const SqlError>(*std::move(error)) : nullptr;
}

}  // namespace

void Plans::make(const Routines& routines) {
  const Schema& schema = routines.application().schema;
  parts_.resize(routines.application().parts);
  const auto with = [this](PartId id, const auto& fill) {
    if (id.index < parts_.size()) fill(parts_[id.index]);
  };
  const auto statement = [&](const DbStatement& s) {
    with(part_of(s), [&](Part& part) {
      std::visit(
          [&](const auto& what) {
            if constexpr (requires { what.where; })
              part.plan =
                  plan_of(schema, std::span(&what.target, 1), {}, what.where);
          },
          s.what);
      part.error = kept(planning_error(routines, s, {}));
      if (auto exprs = foldable(s); !exprs.empty())
        part.risk = std::make_unique<Risk>(Risk{&s, std::move(exprs)});
    });
  };
  const auto query = [&](const Query& q) {
    with(q.part, [&](Part& part) {
      if (part.plan) return;  // it stands in two places
      part.plan = plan_of(schema, q.relations, q.joins, q.where);
      part.is_constant = facts_of(q).reach == 0;
    });
  };
  // Expressions of routines look at no table; they have nothing but errors.
  const auto expression = [&](const Expr& e) {
    with(e.part,
         [&](Part& part) { part.error = kept(planning_error(routines, e)); });
  };
  PlannedParts(statement, query, expression).walk(routines.application());
}

}  // namespace txscope::sql
