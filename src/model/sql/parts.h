#pragma once

#include <utility>

#include "model/sql/application.h"
#include "model/sql/walk.h"

namespace txscope::sql {

/// Gives every part that is planned by itself and has no id yet the next one:
/// the queries, INSERTs, UPDATEs and DELETEs wherever they stand, and the
/// expressions of routines.  For who has just made or changed an application,
/// before anybody else sees it.
void number_parts(Application& application);

/// Walks over all parts of an application that are planned: `on_statement` gets
/// every statement, `on_query` every query wherever it stands (one that stands
/// in two places twice), `on_expr` the expressions of routines.
template <class OnStatement, class OnQuery, class OnExpr>
class PlannedParts {
 public:
  PlannedParts(OnStatement on_statement, OnQuery on_query, OnExpr on_expr)
      : on_statement_(std::move(on_statement)),
        on_query_(std::move(on_query)),
        on_expr_(std::move(on_expr)) {}

  void walk(const Application& application) {
    for (const DbStatement& statement : application.setup) visit(statement);
    for (const SetupStep& step : application.steps)
      if (!step.call) visit(step.value);
    for (const Routine& routine : application.routines) visit(routine.body);
    for (const Property& property : application.properties)
      visit(property.condition);
  }

 private:
  void visit(const PlBlock& block) {
    for (const PlStatement& statement : block) {
      for_each_part(
          statement, [this](const Expr& e) { on_expr_(e); },
          [this](const DbStatement& s) { visit(s); },
          [this](const PlBlock& inside) { visit(inside); });
    }
  }
  void visit(const DbStatement& statement) {
    for (const StatementPart& part : statement.parts)
      on_statement_(*part.statement);
    on_statement_(statement);
    inside(statement);
  }
  void visit(const Query& q) {
    on_query_(q);
    inside(q);
  }
  template <class Node>
  void inside(const Node& node) {
    for_each_part(
        node, [this](const Expr& e) { inside(e); },
        [this](const Query& q) { visit(q); });
  }

  OnStatement on_statement_;
  OnQuery on_query_;
  OnExpr on_expr_;
};

/// The id of what a statement does.
[[nodiscard]] PartId part_of(const DbStatement& statement);

}  // namespace txscope::sql
