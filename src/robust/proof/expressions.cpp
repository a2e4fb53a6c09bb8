#include "robust/proof/expressions.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::robust {

using sql::Expr;
using sql::Op;
using sql::PlBlock;
using sql::PlStatement;
using sql::Query;

void split(const Expr& expr, std::vector<const Expr*>& to) {
  if (expr.op != Op::And) {
    to.push_back(&expr);
    return;
  }
  for (const Expr& arg : expr.args) split(arg, to);
}

void note_columns(const Query& query, std::uint32_t level,
                  std::uint32_t relation, std::vector<bool>& to) {
  sql::for_each_part(
      query, [&](const Expr& e) { note_columns(e, level, relation, to); },
      [&](const Query& inside) {
        note_columns(inside, level + 1, relation, to);
      });
}

void note_columns(const Expr& expr, std::uint32_t level, std::uint32_t relation,
                  std::vector<bool>& to) {
  if (expr.op == Op::Column && expr.level == level &&
      expr.relation == relation && expr.index < to.size()) {
    to[expr.index] = true;
  }
  sql::for_each_part(
      expr, [&](const Expr& arg) { note_columns(arg, level, relation, to); },
      [&](const Query& inside) {
        note_columns(inside, level + 1, relation, to);
      });
}

std::vector<const Expr*> wheres_of(const Query& q) {
  std::vector<const Expr*> out;
  if (q.where) out.push_back(&*q.where);
  const std::size_t wheres = out.size();
  for (const auto& join : q.joins) {
    // A LEFT JOIN's condition does not keep rows away; and those before a FULL
    // JOIN not the rows that only its other side has.
    if (join.kind == sql::JoinKind::Full) out.resize(wheres);
    if (join.on && join.kind == sql::JoinKind::Inner) {
      out.push_back(&*join.on);
    }
  }
  return out;
}

std::optional<ExtremeKind> extreme_of(const Query& q) {
  if (q.relations.size() != 1 || q.relations[0].query || !q.is_grouped ||
      !q.group_by.empty() || q.having || q.limit || q.offset ||
      q.targets.size() != 1 || q.aggregates.size() != 1 ||
      q.targets[0].expr.op != Op::Aggregate) {
    return std::nullopt;
  }
  const auto& aggregate = q.aggregates[0];
  const bool is_min = aggregate.kind == sql::AggregateKind::Min;
  if ((!is_min && aggregate.kind != sql::AggregateKind::Max) ||
      !aggregate.argument || aggregate.argument->op != Op::Column ||
      aggregate.argument->level != 0) {
    return std::nullopt;
  }
  return ExtremeKind{is_min, aggregate.argument->index};
}

bool is_about_key(const Expr& expr, std::uint32_t relation,
                  const std::vector<std::uint32_t>& key) {
  if (expr.query || expr.op == Op::Function) return false;
  if (expr.op == Op::Column) {
    return expr.level == 0 && expr.relation == relation &&
           std::find(key.begin(), key.end(), expr.index) != key.end();
  }
  return std::all_of(expr.args.begin(), expr.args.end(), [&](const Expr& arg) {
    return is_about_key(arg, relation, key);
  });
}

std::optional<std::uint32_t> fixed_column(const Expr& expr,
                                          std::uint32_t relation) {
  if (expr.op != Op::Equal) return std::nullopt;
  const auto is_free = [](const Expr& e) {
    std::vector<const Expr*> todo = {&e};
    while (!todo.empty()) {
      const Expr* at = todo.back();
      todo.pop_back();
      if (at->query || (at->op == Op::Column && at->level == 0)) return false;
      for (const Expr& arg : at->args) todo.push_back(&arg);
    }
    return true;
  };
  for (const std::size_t side : {0u, 1u}) {
    const Expr* column = &expr.args[side];
    while (column->op == Op::Cast) column = &column->args[0];
    if (column->op == Op::Column && column->level == 0 &&
        column->relation == relation && is_free(expr.args[1 - side])) {
      return column->index;
    }
  }
  return std::nullopt;
}

void note_assigned(const PlBlock& block, std::set<std::uint32_t>& to) {
  for (const PlStatement& s : block) {
    if (const auto* x = std::get_if<sql::PlAssign>(&s.what)) to.insert(x->slot);
    if (const auto* x = std::get_if<sql::PlExecute>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
    }
    if (const auto* x = std::get_if<sql::PlCall>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
    }
    if (const auto* x = std::get_if<sql::PlFetch>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
    }
    if (const auto* x = std::get_if<sql::PlRowCount>(&s.what)) {
      to.insert(x->slot);
    }
    if (const auto* x = std::get_if<sql::PlIf>(&s.what)) {
      for (const auto& arm : x->arms) {
        note_assigned(arm.before, to);
        note_assigned(arm.body, to);
      }
      note_assigned(x->otherwise, to);
    }
    if (const auto* x = std::get_if<sql::PlLoop>(&s.what)) {
      note_assigned(x->before, to);
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlForRange>(&s.what)) {
      to.insert(x->slot);
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlForRows>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlLabelled>(&s.what)) {
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlTry>(&s.what)) {
      note_assigned(x->body, to);
      for (const auto& handler : x->handlers) note_assigned(handler.body, to);
      to.insert(x->state_slot);
      to.insert(x->message_slot);
    }
  }
  to.insert(sql::kFoundSlot);
}

}  // namespace txscope::robust
