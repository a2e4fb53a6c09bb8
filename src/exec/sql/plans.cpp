#include "exec/sql/plans.h"

#include <variant>

#include "exec/sql/fold.h"
#include "exec/sql/process.h"
#include "model/sql/parts.h"
#include "model/sql/walk.h"

namespace txscope::sql {

/// Visits every statement, and every query wherever it stands.
class PlanMaker {
 public:
  PlanMaker(const Routines& routines, Plans& plans)
      : routines_(routines),
        schema_(routines.application().schema),
        plans_(plans) {}

  void visit(const PlBlock& block) {
    // Expressions of routines look at no table; they have nothing but errors.
    for (const PlStatement& statement : block) {
      for_each_part(
          statement, [this](const Expr& e) { fold(e); },
          [this](const DbStatement& s) { visit(s); },
          [this](const PlBlock& inside) { visit(inside); });
    }
  }
  void visit(const DbStatement& statement) {
    if (const auto* update = std::get_if<Update>(&statement.what)) {
      target(update->part, update->target, update->where);
    } else if (const auto* remove = std::get_if<Delete>(&statement.what)) {
      target(remove->part, remove->target, remove->where);
    }
    if (Plans::Part* part = at(part_of(statement))) {
      if (auto error = planning_error(routines_, statement, {}))
        part->error = std::make_unique<SqlError>(std::move(*error));
      if (auto exprs = foldable(statement); !exprs.empty())
        part->risk =
            std::make_unique<Plans::Risk>(&statement, std::move(exprs));
    }
    for_each_part(
        statement, [this](const Expr& e) { visit(e); },
        [this](const Query& q) { visit(q); });
  }
  void visit(const Expr& e) {
    for_each_part(
        e, [this](const Expr& arg) { visit(arg); },
        [this](const Query& q) { visit(q); });
  }

 private:
  Plans::Part* at(PartId part) {
    return part.index < plans_.parts_.size() ? &plans_.parts_[part.index]
                                             : nullptr;
  }
  void fold(const Expr& e) {
    Plans::Part* part = at(e.part);
    if (part == nullptr) return;
    if (auto error = planning_error(routines_, e))
      part->error = std::make_unique<SqlError>(std::move(*error));
  }
  void visit(const Query& q) {
    if (Plans::Part* part = at(q.part); part != nullptr && !part->plan) {
      part->plan = plan_of(schema_, q.relations, q.joins, q.where);
      part->is_constant = facts_of(q).reach == 0;
    }
    for_each_part(
        q, [this](const Expr& e) { visit(e); },
        [this](const Query& inside) { visit(inside); });
  }
  void target(PartId id, const Relation& relation,
              const std::optional<Expr>& where) {
    if (Plans::Part* part = at(id))
      part->plan = plan_of(schema_, std::span(&relation, 1), {}, where);
  }

  const Routines& routines_;
  const Schema& schema_;
  Plans& plans_;
};

void Plans::make(const Routines& routines) {
  const Application& application = routines.application();
  parts_.resize(application.parts);
  PlanMaker maker(routines, *this);
  for (const DbStatement& statement : application.setup) maker.visit(statement);
  for (const SetupStep& step : application.steps)
    if (!step.call) maker.visit(step.value);
  for (const Routine& routine : application.routines) maker.visit(routine.body);
  for (const Property& property : application.properties)
    maker.visit(property.condition);
}

}  // namespace txscope::sql
