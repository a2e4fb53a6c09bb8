#include "exec/sql/plans.h"

#include <variant>

#include "exec/sql/fold.h"
#include "exec/sql/process.h"

namespace txscope::sql {

/// Visits every statement, and every query wherever it stands.
class PlanMaker {
 public:
  PlanMaker(const Routines& routines, Plans& plans)
      : routines_(routines),
        schema_(routines.application().schema),
        plans_(plans) {}

  void visit(const PlBlock& block) {
    for (const PlStatement& statement : block)
      std::visit([this](const auto& what) { visit_pl(what); }, statement.what);
  }
  void visit(const DbStatement& statement) {
    std::visit([this](const auto& what) { visit_db(what); }, statement.what);
    if (auto error = planning_error(routines_, statement, {}))
      plans_.errors_.emplace(address_of(statement), std::move(*error));
    if (auto exprs = foldable(statement); !exprs.empty())
      plans_.risks_.emplace(address_of(statement),
                            Plans::Risk{&statement, std::move(exprs)});
    for (const Target& target : statement.returning) visit(target.expr);
  }
  void visit(const Expr& e) {
    for (const Expr& arg : e.args) visit(arg);
    if (e.query != nullptr) visit(*e.query);
  }

 private:
  static const void* address_of(const DbStatement& statement) {
    if (const auto* select = std::get_if<Select>(&statement.what))
      return select->get();
    return std::visit(
        [](const auto& what) { return static_cast<const void*>(&what); },
        statement.what);
  }
  void visit(const std::optional<Expr>& e) {
    if (e) visit(*e);
  }
  void fold(const Expr& e) {
    if (auto error = planning_error(routines_, e))
      plans_.errors_.emplace(&e, std::move(*error));
  }
  void fold(const std::vector<Expr>& all) {
    for (const Expr& e : all) fold(e);
  }
  void visit(const Query& q) {
    plans_.plans_.emplace(&q, plan_of(schema_, q.relations, q.joins, q.where));
    plans_.constant_.emplace(&q, facts_of(q).reach == 0);
    for (const Relation& relation : q.relations)
      if (relation.query != nullptr) visit(*relation.query);
    for (const Join& join : q.joins) visit(join.on);
    visit(q.where);
    for (const Expr& e : q.group_by) visit(e);
    for (const Aggregate& a : q.aggregates) visit(a.argument);
    visit(q.having);
    for (const Target& t : q.targets) visit(t.expr);
    for (const SortKey& key : q.order_by) visit(key.expr);
    visit(q.limit);
    visit(q.offset);
    for (const auto& part : q.parts) visit(*part);
    for (const auto& row : q.values)
      for (const Expr& e : row) visit(e);
  }

  void visit_db(const Select& select) { visit(*select); }
  void visit_db(const Insert& insert) {
    for (const auto& row : insert.rows)
      for (const auto& value : row) visit(value);
    if (insert.source != nullptr) visit(*insert.source);
    if (!insert.on_conflict) return;
    for (const SetColumn& set : insert.on_conflict->set) visit(set.value);
    visit(insert.on_conflict->where);
  }
  void visit_db(const Update& update) {
    target(&update, update.target, update.where);
    for (const SetColumn& set : update.set) visit(set.value);
  }
  void visit_db(const Delete& remove) {
    target(&remove, remove.target, remove.where);
  }
  void target(const void* of, const Relation& relation,
              const std::optional<Expr>& where) {
    plans_.plans_.emplace(of,
                          plan_of(schema_, std::span(&relation, 1), {}, where));
    visit(where);
  }

  // Expressions of routines look at no table; they have nothing but errors.
  void visit_pl(const PlAssign& assign) { fold(assign.value); }
  void visit_pl(const PlCall& call) { fold(call.arguments); }
  void visit_pl(const PlRaise& raise) { fold(raise.arguments); }
  void visit_pl(const PlReturn& back) {
    if (back.value) fold(*back.value);
  }
  void visit_pl(const PlExecute& execute) { visit(execute.statement); }
  void visit_pl(const PlOpen& open) { visit(open.query); }
  void visit_pl(const PlForRows& loop) {
    visit(loop.query);
    visit(loop.body);
  }
  void visit_pl(const PlForRange& loop) {
    fold(loop.from);
    fold(loop.to);
    if (loop.step) fold(*loop.step);
    visit(loop.body);
  }
  void visit_pl(const PlLoop& loop) {
    if (loop.condition) fold(*loop.condition);
    visit(loop.before);
    visit(loop.body);
  }
  void visit_pl(const PlLabelled& labelled) { visit(labelled.body); }
  void visit_pl(const PlTry& guarded) {
    visit(guarded.body);
    for (const PlTry::Handler& handler : guarded.handlers) visit(handler.body);
  }
  void visit_pl(const PlIf& branch) {
    for (const PlIf::Arm& arm : branch.arms) {
      fold(arm.condition);
      visit(arm.before);
      visit(arm.body);
    }
    visit(branch.otherwise);
  }
  template <class Other>
  void visit_pl(const Other&) {}

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
