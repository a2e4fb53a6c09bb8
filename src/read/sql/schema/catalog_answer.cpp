#include "read/sql/schema/catalog_answer.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace txscope::sql {
namespace {

/// What a catalogue lists, and in which of its columns names stand.
struct Listing {
  enum class Of : std::uint8_t { Table, Relation, View, Column, Routine, Type };
  std::string_view schema;  ///< of the catalogue itself
  std::string_view name;
  Of of = Of::Table;
  std::string_view in;      ///< the schema of what is listed
  std::string_view called;  ///< its name
  std::string_view column;
};
constexpr auto kListings = std::to_array<Listing>({
    {"pg_catalog", "pg_tables", Listing::Of::Table, "schemaname", "tablename",
     ""},
    {"pg_catalog", "pg_views", Listing::Of::View, "schemaname", "viewname", ""},
    {"information_schema", "tables", Listing::Of::Relation, "table_schema",
     "table_name", ""},
    {"information_schema", "views", Listing::Of::View, "table_schema",
     "table_name", ""},
    {"information_schema", "columns", Listing::Of::Column, "table_schema",
     "table_name", "column_name"},
    {"information_schema", "routines", Listing::Of::Routine, "routine_schema",
     "routine_name", ""},
    {"pg_catalog", "pg_proc", Listing::Of::Routine, "", "proname", ""},
    {"pg_catalog", "pg_type", Listing::Of::Type, "", "typname", ""},
});

const Listing* listing_of(const PgQuery__RangeVar& table) {
  const std::string_view schema = view(table.schemaname);
  for (const Listing& one : kListings) {
    const bool is_plain = schema.empty() && one.schema == "pg_catalog";
    if (one.name == view(table.relname) && (is_plain || schema == one.schema))
      return &one;
  }
  return nullptr;
}

using AskedNames = std::map<std::string_view, std::string_view>;  // by column

/// Column = 'constant'; the table may stand before the column.
bool add_name(const Node& node, AskedNames& names) {
  if (node.node_case != PG_QUERY__NODE__NODE_A_EXPR) return false;
  const PgQuery__AExpr& e = *node.a_expr;
  const bool is_equality =
      e.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && e.n_name == 1 &&
      string_of(e.name[0]) == "=" && e.lexpr != nullptr && e.rexpr != nullptr &&
      e.lexpr->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
      e.rexpr->node_case == PG_QUERY__NODE__NODE_A_CONST &&
      e.rexpr->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  if (!is_equality) return false;
  const PgQuery__ColumnRef& column = *e.lexpr->column_ref;
  names[string_of(column.fields[column.n_fields - 1])] =
      view(e.rexpr->a_const->sval->sval);
  return true;
}

bool add_names(const Node* where, AskedNames& names) {
  if (where == nullptr) return false;
  if (where->node_case != PG_QUERY__NODE__NODE_BOOL_EXPR)
    return add_name(*where, names);
  const PgQuery__BoolExpr& all = *where->bool_expr;
  if (all.boolop != PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR) return false;
  return std::all_of(all.args, all.args + all.n_args,
                     [&](const Node* one) { return add_names(one, names); });
}

/// Of a relation that could not be read nobody knows more than its name.
std::optional<bool> has_relation(const Listing& listing,
                                 std::string_view schema, std::string_view name,
                                 std::string_view column,
                                 const Catalog& catalog) {
  const std::string key = catalog.relation(schema, name);
  if (catalog.broken.contains(key)) return std::nullopt;
  const auto table = catalog.table(key);
  const bool is_view = catalog.views.contains(key);
  switch (listing.of) {
    case Listing::Of::Table: return table.has_value();
    case Listing::Of::View: return is_view;
    case Listing::Of::Column:
      if (!table) return is_view ? std::nullopt : std::optional(false);
      return column_of(catalog.schema.at(*table), column).has_value();
    default: return table.has_value() || is_view;
  }
}

}  // namespace

std::optional<bool> finds_in_catalog(const PgQuery__SelectStmt& query,
                                     const Catalog& catalog) {
  const bool is_plain =
      query.n_from_clause == 1 &&
      query.from_clause[0]->node_case == PG_QUERY__NODE__NODE_RANGE_VAR &&
      query.n_group_clause == 0 && query.having_clause == nullptr &&
      query.limit_offset == nullptr && query.with_clause == nullptr &&
      query.op == PG_QUERY__SET_OPERATION__SETOP_NONE;
  if (!is_plain) return std::nullopt;
  const Listing* listing = listing_of(*query.from_clause[0]->range_var);
  AskedNames names;
  if (listing == nullptr || !add_names(query.where_clause, names))
    return std::nullopt;
  const auto taken = [&](std::string_view column) {
    const auto found = names.find(column);
    if (column.empty() || found == names.end()) return std::string_view();
    const std::string_view name = found->second;
    names.erase(found);
    return name;
  };
  const std::string_view schema = taken(listing->in);
  const std::string_view name = taken(listing->called);
  const std::string_view column = taken(listing->column);
  const bool is_known_schema =
      schema.empty() || catalog.schemas.contains(std::string(schema));
  if (name.empty() || !names.empty() || !is_known_schema ||
      column.empty() != listing->column.empty())
    return std::nullopt;
  if (listing->of == Listing::Of::Routine)
    return !catalog.all_named(name).empty();
  if (listing->of != Listing::Of::Type)
    return has_relation(*listing, schema, name, column, catalog);
  if (catalog.type(catalog.relation("", name)) != nullptr) return true;
  return has_relation(*listing, "", name, "", catalog);
}

std::optional<bool> catalog_condition(const Node& condition,
                                      const Catalog& catalog) {
  if (condition.node_case == PG_QUERY__NODE__NODE_SUB_LINK) {
    const PgQuery__SubLink& link = *condition.sub_link;
    if (link.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK ||
        link.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
      return std::nullopt;
    return finds_in_catalog(*link.subselect->select_stmt, catalog);
  }
  if (condition.node_case == PG_QUERY__NODE__NODE_NULL_TEST) {
    const PgQuery__NullTest& test = *condition.null_test;
    if (test.arg->node_case != PG_QUERY__NODE__NODE_FUNC_CALL)
      return std::nullopt;
    const PgQuery__FuncCall& call = *test.arg->func_call;
    const bool is_asked =
        string_of(call.funcname[call.n_funcname - 1]) == "to_regclass" &&
        call.n_args == 1 &&
        call.args[0]->node_case == PG_QUERY__NODE__NODE_A_CONST &&
        call.args[0]->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
    if (!is_asked) return std::nullopt;
    const QualifiedName name =
        qualified(view(call.args[0]->a_const->sval->sval));
    if (!name.schema.empty() && !catalog.schemas.contains(name.schema))
      return std::nullopt;
    const auto found =
        has_relation(kListings[2], name.schema, name.name, "", catalog);
    if (!found) return std::nullopt;
    const bool is_null = test.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;
    return *found != is_null;
  }
  if (condition.node_case != PG_QUERY__NODE__NODE_BOOL_EXPR)
    return std::nullopt;
  const PgQuery__BoolExpr& parts = *condition.bool_expr;
  if (parts.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
    const auto inner = catalog_condition(*parts.args[0], catalog);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  const bool is_and = parts.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
  for (std::size_t i = 0; i < parts.n_args; ++i) {
    const auto one = catalog_condition(*parts.args[i], catalog);
    if (!one || *one != is_and) return one;
  }
  return is_and;
}

}  // namespace txscope::sql
