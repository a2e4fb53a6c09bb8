// Rows as values of a composite type.

#include "model/sql/value/composite.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {

std::optional<Expr> Rows::row_named(const std::string& name, Span at) {
  const std::vector<std::string> plain = {name};
  if (scope_.variables != nullptr && scope_.variables->find(plain, at, true))
    return std::nullopt;
  for (std::size_t up = 0; up < scope_.levels.size(); ++up) {
    const OpenQuery& names = *scope_.levels[scope_.levels.size() - 1 - up];
    for (std::uint32_t r = 0; r < names.relations.size(); ++r) {
      const RelationNames& relation = names.relations[r];
      if (!relation.is_visible || relation.name != name) continue;
      std::vector<Expr> fields;
      std::vector<Expr> tests;
      Composite made{"record", {}};
      for (std::uint32_t c = 0; c < relation.columns.size(); ++c) {
        Expr e = make(Op::Column, relation.columns[c].type, {}, at);
        e.level = static_cast<std::uint32_t>(up);
        e.relation = r;
        e.index = c;
        made.fields.emplace_back(relation.columns[c].name, e.type);
        tests.push_back(make(Op::IsNull, kBoolean, {e}, at));
        fields.push_back(std::move(e));
      }
      const bool is_table = !(relation.table == kNone<TableId>);
      const Type type =
          is_table ? row_type_of(scope_.catalog.schema.at(relation.table))
                   : composite_type(std::move(made));
      Expr row = make_row(std::move(fields), type, at);
      if (!relation.is_nullable) return row;
      // Where an outer join has no row, there is none.
      Expr is_none = tests.size() == 1
                         ? std::move(tests[0])
                         : make(Op::And, kBoolean, std::move(tests), at);
      return make(
          Op::Case, type,
          {std::move(is_none), constant(Value(), type, at), std::move(row)},
          at);
    }
  }
  if (scope_.variables == nullptr) return std::nullopt;
  const auto fields = scope_.variables->record(name, at);
  if (fields.empty()) return std::nullopt;
  std::vector<Expr> values;
  Composite made{"record", {}};
  for (const Names::Found& field : fields) {
    Expr e = make(Op::Variable, field.type, {}, at);
    e.index = field.slot;
    made.fields.emplace_back(field.field, field.type);
    values.push_back(std::move(e));
  }
  const Type type = composite_type(std::move(made));
  if (scope_.lifter == nullptr) {
    scope_.record_test = at;
    return make_row(std::move(values), type, at);
  }
  return scope_.variable(
      {scope_.lifter->lift_row(std::move(values), type, at), type}, at);
}

Expr Rows::row_constructor(const Node& node) {
  const Span at = scope_.tree.at(node.row_expr->location);
  std::vector<Expr> fields = row(node);
  Composite made{"record", {}};
  for (const Expr& e : fields)
    made.fields.emplace_back("f" + std::to_string(made.fields.size() + 1),
                             bare(e.type));
  return make_row(std::move(fields), composite_type(std::move(made)), at);
}

Expr Rows::field(Expr row, std::string_view name, Span at) {
  if (row.type.name != TypeName::Composite) {
    source().fail(at, "column notation ." + std::string(name) +
                          " applied to type " + to_string(row.type) +
                          ", which is not a composite type");
  }
  const auto& fields = composite(row.type).fields;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].first == name) return field_of(std::move(row), i);
    names.push_back(fields[i].first);
  }
  source().fail(at,
                "the type " + to_string(row.type) + " has no field '" +
                    std::string(name) + "'",
                hint_among(name, names, "fields"));
}

/// All of (record).field, of which `name` is the record.
Span Rows::parenthesized_field(Span name) const {
  const std::vector<Token>& tokens = scope_.tree.tokens();
  const std::size_t i = token_at(tokens, name.offset);
  if (i == 0 || i + 3 >= tokens.size()) return name;
  return source().span(tokens[i - 1].offset,
                       tokens[i + 3].end() - tokens[i - 1].offset);
}

/// (t).column and (record).field need no row.
std::optional<Expr> Rows::named_field(const PgQuery__AIndirection& node) {
  const bool is_named =
      node.arg->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
      node.arg->column_ref->n_fields == 1 && node.n_indirection > 0 &&
      node.indirection[0]->node_case == PG_QUERY__NODE__NODE_STRING;
  if (!is_named) return std::nullopt;
  const std::vector<std::string> name = {
      std::string(string_of(node.arg->column_ref->fields[0])),
      std::string(string_of(node.indirection[0]))};
  const Span at = scope_.tree.at(node.arg->column_ref->location);
  const std::span<const std::string> alone(name.data(), 1);
  if (scope_.find_column(alone, at)) return std::nullopt;
  if (scope_.variables != nullptr && scope_.variables->find(alone, at, true))
    return std::nullopt;
  if (scope_.variables != nullptr &&
      !scope_.variables->record(name[0], at).empty()) {
    const auto found = scope_.variables->find(name, at, false);
    if (!found) return std::nullopt;
    Expr e = make(Op::Variable, found->type, {}, at);
    e.index = found->slot;
    scope_.mentions.push_back({parenthesized_field(at), found->slot});
    return e;
  }
  return scope_.find_column(name, at);
}

std::optional<std::vector<Target>> Rows::all_fields(const Node& node) {
  const PgQuery__AIndirection& of = *node.a_indirection;
  const bool is_star = of.n_indirection == 1 && of.indirection[0]->node_case ==
                                                    PG_QUERY__NODE__NODE_A_STAR;
  if (!is_star) return std::nullopt;
  Expr row = all_.expressions.expr(of.arg);
  if (row.type.name != TypeName::Composite) return std::nullopt;
  std::vector<Target> targets;
  const auto& fields = composite(row.type).fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    targets.push_back({fields[i].first, field_of(row, i)});
  return targets;
}

Expr Rows::row_null_test(Expr row, bool is_not_null, Span at) {
  return make_builtin(is_not_null ? Builtin::RowIsNotNull : Builtin::RowIsNull,
                      kBoolean, {std::move(row)}, at);
}

}  // namespace txscope::sql::analyzer
