#include "exec/sql/plans.h"

#include <variant>

#include "exec/sql/fold.h"
#include "exec/sql/process.h"
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
      target(update, update->target, update->where);
    } else if (const auto* remove = std::get_if<Delete>(&statement.what)) {
      target(remove, remove->target, remove->where);
    }
    if (auto error = planning_error(routines_, statement, {}))
      plans_.errors_.emplace(address_of(statement), std::move(*error));
    if (auto exprs = foldable(statement); !exprs.empty())
      plans_.risks_.emplace(address_of(statement),
                            Plans::Risk{&statement, std::move(exprs)});
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
  static const void* address_of(const DbStatement& statement) {
    if (const auto* select = std::get_if<Select>(&statement.what))
      return select->get();
    return std::visit(
        [](const auto& what) { return static_cast<const void*>(&what); },
        statement.what);
  }
  void fold(const Expr& e) {
    if (auto error = planning_error(routines_, e))
      plans_.errors_.emplace(&e, std::move(*error));
  }
  void visit(const Query& q) {
    plans_.plans_.emplace(&q, plan_of(schema_, q.relations, q.joins, q.where));
    plans_.constant_.emplace(&q, facts_of(q).reach == 0);
    for_each_part(
        q, [this](const Expr& e) { visit(e); },
        [this](const Query& inside) { visit(inside); });
  }
  void target(const void* of, const Relation& relation,
              const std::optional<Expr>& where) {
    plans_.plans_.emplace(of,
                          plan_of(schema_, std::span(&relation, 1), {}, where));
  }

  const Routines& routines_;
  const Schema& schema_;
  Plans& plans_;
};

void Plans::make(const Routines& routines) {
  const Application& application = routines.application();
  PlanMaker maker(routines, *this);
  for (const DbStatement& statement : application.setup) maker.visit(statement);
  for (const SetupStep& step : application.steps)
    if (!step.call) maker.visit(step.value);
  for (const Routine& routine : application.routines) maker.visit(routine.body);
  for (const Property& property : application.properties)
    maker.visit(property.condition);
}

}  // namespace txscope::sql
