// Rows as values: (a, b), a table's row or a record that is named as a whole.

#include <array>

#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {
namespace {

bool is_star(const Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION) return true;
  if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return false;
  const PgQuery__ColumnRef& ref = *node.column_ref;
  return ref.fields[ref.n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

}  // namespace

std::optional<std::vector<Target>> Analyzer::whole_row(const Node& node) {
  // (t).* is t.*
  if (node.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION) {
    const PgQuery__AIndirection& of = *node.a_indirection;
    const bool is_star =
        of.n_indirection == 1 &&
        of.indirection[0]->node_case == PG_QUERY__NODE__NODE_A_STAR;
    return is_star ? whole_row(*of.arg) : std::nullopt;
  }
  if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return std::nullopt;
  const PgQuery__ColumnRef& ref = *node.column_ref;
  const bool has_star =
      ref.fields[ref.n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
  if (ref.n_fields != (has_star ? 2u : 1u)) return std::nullopt;
  const std::string name(string_of(ref.fields[0]));
  const Span at = tree_.at(ref.location);
  const std::array<std::string, 1> plain = {name};
  if (!has_star && find_column(plain, at)) return std::nullopt;
  std::vector<Target> targets;
  for (std::size_t up = 0; up < levels_.size(); ++up) {
    const Level& names = *levels_[levels_.size() - 1 - up];
    for (std::uint32_t r = 0; r < names.relations.size(); ++r) {
      const RelationNames& relation = names.relations[r];
      if (!relation.is_visible || relation.name != name) continue;
      for (std::uint32_t c = 0; c < relation.columns.size(); ++c) {
        Expr e;
        e.op = Op::Column;
        e.type = relation.columns[c].type;
        e.level = static_cast<std::uint32_t>(up);
        e.relation = r;
        e.index = c;
        e.at = at;
        targets.push_back({relation.columns[c].name, std::move(e)});
      }
      return targets;
    }
  }
  return record_row(name, at);
}

std::optional<std::vector<Target>> Analyzer::record_row(const std::string& name,
                                                        Span at) {
  if (names_ == nullptr) return std::nullopt;
  const auto fields = names_->record(name, at);
  if (fields.empty()) return std::nullopt;
  record_test_ = at;
  std::vector<Target> row;
  for (const Names::Found& field : fields) {
    Expr e = make(Op::Variable, field.type, {}, at);
    e.index = field.slot;
    row.push_back({field.field, std::move(e)});
  }
  return row;
}

// The name of a function in FROM that gives one column is that column.
bool Analyzer::is_row(const Node* node) {
  if (node == nullptr) return false;
  if (node->node_case == PG_QUERY__NODE__NODE_ROW_EXPR) return true;
  const auto fields = whole_row(*node);
  return fields && (fields->size() > 1 || is_star(*node));
}

std::vector<Expr> Analyzer::row(const Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_ROW_EXPR) {
    std::vector<Expr> all;
    for (const Node* item : list(node.row_expr->n_args, node.row_expr->args)) {
      auto fields = is_star(*item) ? whole_row(*item) : std::nullopt;
      if (!fields) all.push_back(expr(item));
      if (fields)
        for (Target& field : *fields) all.push_back(std::move(field.expr));
    }
    return all;
  }
  if (auto fields = whole_row(node)) {
    std::vector<Expr> all;
    for (Target& field : *fields) all.push_back(std::move(field.expr));
    return all;
  }
  std::vector<Expr> one;
  one.push_back(expr(&node));
  return one;
}

Expr Analyzer::row_comparison(const PgQuery__AExpr& node) {
  const Span at = tree_.at(node.location);
  const std::string_view op = string_of(node.name[0]);
  const bool is_order = op == "<" || op == "<=" || op == ">" || op == ">=";
  if (op != "=" && op != "<>" && !is_order) {
    source().unsupported(at, "comparing rows by " + std::string(op) + " is",
                         "compare the columns one by one");
  }
  if (!is_row(node.lexpr) || !is_row(node.rexpr)) {
    source().unsupported(at, "a row compared with something else is");
  }
  std::vector<Expr> a = row(*node.lexpr);
  std::vector<Expr> b = row(*node.rexpr);
  if (a.size() != b.size()) {
    source().fail(at, "the rows have different numbers of columns");
  }
  if (is_order) return row_order(std::move(a), std::move(b), op, at);
  std::vector<Expr> all;
  const bool is_equal = op == "=";
  for (std::size_t i = 0; i < a.size(); ++i) {
    all.push_back(comparison(is_equal ? Op::Equal : Op::NotEqual,
                             std::move(a[i]), std::move(b[i]), at, op));
  }
  if (all.size() == 1) return std::move(all[0]);
  return make(is_equal ? Op::And : Op::Or, kBoolean, std::move(all), at);
}

// The first columns that differ decide: (a, b) < (c, d) is
// a < c OR (a = c AND b < d).
Expr Analyzer::row_order(std::vector<Expr> a, std::vector<Expr> b,
                         std::string_view op, Span at) {
  const Op strict = op[0] == '<' ? Op::Less : Op::Greater;
  const Op last = op == "<"    ? Op::Less
                  : op == "<=" ? Op::LessEqual
                  : op == ">"  ? Op::Greater
                               : Op::GreaterEqual;
  Expr e = comparison(last, std::move(a.back()), std::move(b.back()), at, op);
  for (std::size_t i = a.size() - 1; i-- > 0;) {
    Expr equal = comparison(Op::Equal, a[i], b[i], at, "=");
    Expr both = make(Op::And, kBoolean, {std::move(equal), std::move(e)}, at);
    e = make(Op::Or, kBoolean,
             {comparison(strict, std::move(a[i]), std::move(b[i]), at, op),
              std::move(both)},
             at);
  }
  return e;
}

Expr Analyzer::row_distinction(const PgQuery__AExpr& node) {
  const Span at = tree_.at(node.location);
  std::vector<Expr> a = row(*node.lexpr);
  std::vector<Expr> b = row(*node.rexpr);
  if (a.size() != b.size())
    source().fail(at, "the rows have different numbers of columns");
  std::vector<Expr> all;
  for (std::size_t i = 0; i < a.size(); ++i)
    all.push_back(
        comparison(Op::IsDistinct, std::move(a[i]), std::move(b[i]), at, "="));
  Expr e = all.size() == 1 ? std::move(all[0])
                           : make(Op::Or, kBoolean, std::move(all), at);
  if (node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT)
    e = make(Op::Not, kBoolean, {std::move(e)}, at);
  return e;
}

Expr Analyzer::whole_row_as_json(const Node& node, std::vector<Target> row,
                                 Type type, Span at) {
  Expr json = row_as_json(std::move(row), type, at);
  if (names_ == nullptr || node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
    return json;
  auto is_none = names_->is_no_record(
      std::string(string_of(node.column_ref->fields[0])), at);
  if (!is_none) return json;
  return make(
      Op::Case, type,
      {std::move(*is_none), constant(Value(), type, at), std::move(json)}, at);
}

}  // namespace txscope::sql
