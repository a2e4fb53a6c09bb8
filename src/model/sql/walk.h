#pragma once

#include "model/sql/routine.h"

// What the nodes of the syntax are made of: the one place that lists their
// parts, in the order of the text.  Every walk is a recursion of its own over
// for_each_part(); so a new part of a node is seen by all of them.
//
// A function that is called for a part may return anything; depth is what the
// front end allows.

namespace txscope::sql {

template <class OnExpr, class OnQuery>
void for_each_part(const Expr& e, const OnExpr& on_expr,
                   const OnQuery& on_query) {
  for (const Expr& arg : e.args) on_expr(arg);
  if (e.query != nullptr) on_query(*e.query);
}

template <class OnExpr>
void for_each_part(const WindowCall& call, const OnExpr& on_expr) {
  const auto maybe = [&](const std::optional<Expr>& e) {
    if (e) on_expr(*e);
  };
  maybe(call.aggregate.argument);
  for (const Expr& e : call.args) on_expr(e);
  for (const Expr& e : call.partition_by) on_expr(e);
  for (const SortKey& key : call.order_by) on_expr(key.expr);
  maybe(call.frame.start.offset);
  maybe(call.frame.end.offset);
}

/// Subqueries in FROM and the parts of a UNION are queries of their own.
template <class OnExpr, class OnQuery>
void for_each_part(const Query& q, const OnExpr& on_expr,
                   const OnQuery& on_query) {
  const auto maybe = [&](const std::optional<Expr>& e) {
    if (e) on_expr(*e);
  };
  for (const Relation& relation : q.relations)
    if (relation.query != nullptr) on_query(*relation.query);
  for (const Join& join : q.joins) maybe(join.on);
  maybe(q.where);
  for (const Expr& e : q.group_by) on_expr(e);
  for (const Aggregate& a : q.aggregates) maybe(a.argument);
  maybe(q.having);
  for (const WindowCall& call : q.windows) for_each_part(call, on_expr);
  for (const Target& t : q.targets) on_expr(t.expr);
  for (const SortKey& key : q.order_by) on_expr(key.expr);
  maybe(q.limit);
  maybe(q.offset);
  for (const auto& part : q.parts) on_query(*part);
  for (const auto& row : q.values)
    for (const Expr& e : row) on_expr(e);
}

template <class OnExpr>
void for_each_part(const std::vector<SetColumn>& set, const OnExpr& on_expr) {
  for (const SetColumn& column : set)
    if (column.value) on_expr(*column.value);
}

template <class OnExpr, class OnQuery>
void for_each_part(const Select& select, const OnExpr&,
                   const OnQuery& on_query) {
  on_query(*select);
}

template <class OnExpr, class OnQuery>
void for_each_part(const Insert& insert, const OnExpr& on_expr,
                   const OnQuery& on_query) {
  for (const auto& row : insert.rows)
    for (const std::optional<Expr>& value : row)
      if (value) on_expr(*value);
  if (insert.source != nullptr) on_query(*insert.source);
  if (!insert.on_conflict) return;
  for_each_part(insert.on_conflict->set, on_expr);
  if (insert.on_conflict->where) on_expr(*insert.on_conflict->where);
}

template <class OnExpr>
void for_each_part(const RowChoice& choice, const OnExpr& on_expr) {
  for (const SortKey& key : choice.order_by) on_expr(key.expr);
  if (choice.limit) on_expr(*choice.limit);
}

template <class OnExpr, class OnQuery>
void for_each_part(const Update& update, const OnExpr& on_expr,
                   const OnQuery&) {
  for_each_part(update.set, on_expr);
  if (update.where) on_expr(*update.where);
  for_each_part(update.choice, on_expr);
}

template <class OnExpr, class OnQuery>
void for_each_part(const Delete& remove, const OnExpr& on_expr,
                   const OnQuery&) {
  if (remove.where) on_expr(*remove.where);
  for_each_part(remove.choice, on_expr);
}

template <class OnExpr, class OnQuery>
void for_each_part(const Merge::Nothing&, const OnExpr&, const OnQuery&) {}

template <class OnExpr, class OnQuery>
void for_each_part(const Merge& merge, const OnExpr& on_expr,
                   const OnQuery& on_query) {
  on_query(*merge.joined);
  for (const Merge::Arm& arm : merge.arms) {
    if (arm.condition) on_expr(*arm.condition);
    std::visit(
        [&](const auto& action) { for_each_part(action, on_expr, on_query); },
        arm.action);
  }
}

template <class OnExpr, class OnQuery>
void for_each_part(const DbStatement& statement, const OnExpr& on_expr,
                   const OnQuery& on_query) {
  std::visit([&](const auto& what) { for_each_part(what, on_expr, on_query); },
             statement.what);
  for (const Target& target : statement.returning) on_expr(target.expr);
  for (const StatementPart& part : statement.parts)
    for_each_part(*part.statement, on_expr, on_query);
}

/// `on_block` gets the blocks inside; `on_expr` expressions that look at no
/// table.
template <class OnExpr, class OnStatement, class OnBlock>
void for_each_part(const PlStatement& s, const OnExpr& on_expr,
                   const OnStatement& on_statement, const OnBlock& on_block) {
  const auto maybe = [&](const std::optional<Expr>& e) {
    if (e) on_expr(*e);
  };
  if (const auto* assign = std::get_if<PlAssign>(&s.what)) {
    on_expr(assign->value);
  } else if (const auto* execute = std::get_if<PlExecute>(&s.what)) {
    on_statement(execute->statement);
  } else if (const auto* call = std::get_if<PlCall>(&s.what)) {
    for (const Expr& argument : call->arguments) on_expr(argument);
  } else if (const auto* branch = std::get_if<PlIf>(&s.what)) {
    for (const PlIf::Arm& arm : branch->arms) {
      on_block(arm.before);
      on_expr(arm.condition);
      on_block(arm.body);
    }
    on_block(branch->otherwise);
  } else if (const auto* loop = std::get_if<PlLoop>(&s.what)) {
    on_block(loop->before);
    maybe(loop->condition);
    on_block(loop->body);
  } else if (const auto* range = std::get_if<PlForRange>(&s.what)) {
    on_expr(range->from);
    on_expr(range->to);
    maybe(range->step);
    on_block(range->body);
  } else if (const auto* rows = std::get_if<PlForRows>(&s.what)) {
    on_statement(rows->query);
    on_block(rows->body);
  } else if (const auto* labelled = std::get_if<PlLabelled>(&s.what)) {
    on_block(labelled->body);
  } else if (const auto* guarded = std::get_if<PlTry>(&s.what)) {
    on_block(guarded->body);
    for (const PlTry::Handler& handler : guarded->handlers)
      on_block(handler.body);
  } else if (const auto* back = std::get_if<PlReturn>(&s.what)) {
    maybe(back->value);
  } else if (const auto* raise = std::get_if<PlRaise>(&s.what)) {
    for (const Expr& argument : raise->arguments) on_expr(argument);
  } else if (const auto* open = std::get_if<PlOpen>(&s.what)) {
    on_statement(open->query);
  }
}

/// Calls `on_statement(const DbStatement&)` for every statement of a block that
/// goes to the database, in the order of the text.
template <class OnStatement>
void for_each_statement(const PlBlock& block, const OnStatement& on_statement) {
  for (const PlStatement& s : block) {
    for_each_part(
        s, [](const Expr&) {}, on_statement,
        [&](const PlBlock& inside) {
          for_each_statement(inside, on_statement);
        });
  }
}

/// Calls `on(const PlStatement&)` for every statement of a block, those inside
/// others, too.
template <class OnStatement>
void for_each_pl(const PlBlock& block, const OnStatement& on) {
  for (const PlStatement& s : block) {
    on(s);
    for_each_part(
        s, [](const Expr&) {}, [](const DbStatement&) {},
        [&](const PlBlock& inside) { for_each_pl(inside, on); });
  }
}

/// Calls `on_table(TableId)` for every table that a query reads.
template <class OnTable>
void for_each_table(const Query& q, const OnTable& on_table);
template <class OnTable>
void for_each_table(const Expr& e, const OnTable& on_table) {
  for_each_part(
      e, [&](const Expr& arg) { for_each_table(arg, on_table); },
      [&](const Query& q) { for_each_table(q, on_table); });
}
template <class OnTable>
void for_each_table(const Query& q, const OnTable& on_table) {
  for (const Relation& relation : q.relations)
    if (relation.table != kNone<TableId>) on_table(relation.table);
  for_each_part(
      q, [&](const Expr& e) { for_each_table(e, on_table); },
      [&](const Query& inside) { for_each_table(inside, on_table); });
}

}  // namespace txscope::sql
