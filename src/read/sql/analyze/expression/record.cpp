// Rows as values: (a, b), a table's row or a record that is named as a whole.

#include <array>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

bool is_star(const Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION) return true;
  if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return false;
  const PgQuery__ColumnRef& ref = *node.column_ref;
  return ref.fields[ref.n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

}  // namespace

std::optional<std::vector<Target>> Rows::whole_row(const Node& node) {
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
  const Span at = scope_.tree.at(ref.location);
  const std::array<std::string, 1> plain = {name};
  if (!has_star && scope_.find_column(plain, at)) return std::nullopt;
  std::vector<Target> targets;
  for (std::size_t up = 0; up < scope_.levels.size(); ++up) {
    const OpenQuery& names = *scope_.levels[scope_.levels.size() - 1 - up];
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

std::optional<std::vector<Target>> Rows::record_row(const std::string& name,
                                                    Span at) {
  if (scope_.variables == nullptr) return std::nullopt;
  const auto fields = scope_.variables->record(name, at);
  if (fields.empty()) return std::nullopt;
  scope_.record_test = at;
  std::vector<Target> row;
  for (const Names::Found& field : fields) {
    Expr e = make(Op::Variable, field.type, {}, at);
    e.index = field.slot;
    row.push_back({field.field, std::move(e)});
  }
  return row;
}

// The name of a function in FROM that gives one column is that column.
bool Rows::is_row(const Node* node) {
  if (node == nullptr) return false;
  if (node->node_case == PG_QUERY__NODE__NODE_ROW_EXPR) return true;
  const auto fields = whole_row(*node);
  return fields && (fields->size() > 1 || is_star(*node));
}

std::vector<Expr> Rows::row(const Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_ROW_EXPR) {
    std::vector<Expr> all;
    for (const Node* item : list(node.row_expr->n_args, node.row_expr->args)) {
      auto fields = is_star(*item) ? whole_row(*item) : std::nullopt;
      if (!fields) all.push_back(all_.expressions.expr(item));
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
  one.push_back(all_.expressions.expr(&node));
  return one;
}

Expr Rows::row_comparison(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
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
    all.push_back(all_.operators.comparison(is_equal ? Op::Equal : Op::NotEqual,
                                            std::move(a[i]), std::move(b[i]),
                                            at, op));
  }
  if (all.size() == 1) return std::move(all[0]);
  return make(is_equal ? Op::And : Op::Or, kBoolean, std::move(all), at);
}

// The first columns that differ decide: (a, b) < (c, d) is
// a < c OR (a = c AND b < d).
Expr Rows::row_order(std::vector<Expr> a, std::vector<Expr> b,
                     std::string_view op, Span at) {
  const Op strict = op[0] == '<' ? Op::Less : Op::Greater;
  const Op last = op == "<"    ? Op::Less
                  : op == "<=" ? Op::LessEqual
                  : op == ">"  ? Op::Greater
                               : Op::GreaterEqual;
  Expr e = all_.operators.comparison(last, std::move(a.back()),
                                     std::move(b.back()), at, op);
  for (std::size_t i = a.size() - 1; i-- > 0;) {
    Expr equal = all_.operators.comparison(Op::Equal, a[i], b[i], at, "=");
    Expr both = make(Op::And, kBoolean, {std::move(equal), std::move(e)}, at);
    e = make(Op::Or, kBoolean,
             {all_.operators.comparison(strict, std::move(a[i]),
                                        std::move(b[i]), at, op),
              std::move(both)},
             at);
  }
  return e;
}

Expr Rows::row_distinction(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  std::vector<Expr> a = row(*node.lexpr);
  std::vector<Expr> b = row(*node.rexpr);
  if (a.size() != b.size())
    source().fail(at, "the rows have different numbers of columns");
  std::vector<Expr> all;
  for (std::size_t i = 0; i < a.size(); ++i)
    all.push_back(all_.operators.comparison(Op::IsDistinct, std::move(a[i]),
                                            std::move(b[i]), at, "="));
  Expr e = all.size() == 1 ? std::move(all[0])
                           : make(Op::Or, kBoolean, std::move(all), at);
  if (node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT)
    e = make(Op::Not, kBoolean, {std::move(e)}, at);
  return e;
}

Expr Rows::whole_row_as_json(const Node& node, std::vector<Target> row,
                             Type type, Span at) {
  Expr json = all_.builtins.row_as_json(std::move(row), type, at);
  if (scope_.variables == nullptr ||
      node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
    return json;
  auto is_none = scope_.variables->is_no_record(
      std::string(string_of(node.column_ref->fields[0])), at);
  if (!is_none) return json;
  return make(
      Op::Case, type,
      {std::move(*is_none), constant(Value(), type, at), std::move(json)}, at);
}

}  // namespace txscope::sql::analyzer
