#include "race/repair/with_lock.h"

#include <pg_query.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "db/proxy/statements.h"
#include "race/reduce/mariadb_words.h"

namespace txscope::race {
namespace {

using Parsed = nlohmann::json;

constexpr auto kAggregates = std::to_array<std::string_view>(
    {"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every",
     "string_agg", "array_agg", "json_agg", "jsonb_agg", "json_object_agg",
     "jsonb_object_agg"});

/// The one statement of a text; null: not understood.
Parsed parsed(const std::string& sql) {
  PgQueryParseResult result = ::pg_query_parse(sql.c_str());
  Parsed statement;
  if (result.error == nullptr) {
    const Parsed tree = Parsed::parse(result.parse_tree, nullptr, false);
    if (tree.is_object() && tree.contains("stmts") &&
        tree["stmts"].size() == 1 && tree["stmts"][0].contains("stmt"))
      statement = tree["stmts"][0]["stmt"];
  }
  ::pg_query_free_parse_result(result);
  return statement;
}

std::string name_of_table(const Parsed& relation) {
  const std::string schema = relation.value("schemaname", "");
  const std::string name = relation.value("relname", "");
  return schema.empty() || schema == "public" ? name : schema + "." + name;
}

std::string last_of(const Parsed& names) {
  if (!names.is_array() || names.empty()) return "";
  const Parsed& last = names.back();
  return last.contains("String") ? last["String"].value("sval", "") : "";
}

bool calls_aggregate(const Parsed& node) {
  if (node.is_object() && node.contains("FuncCall")) {
    const std::string name =
        last_of(node["FuncCall"].value("funcname", Parsed::array()));
    if (std::find(kAggregates.begin(), kAggregates.end(), name) !=
            kAggregates.end() ||
        node["FuncCall"].contains("over"))
      return true;
  }
  if (!node.is_structured()) return false;
  return std::any_of(node.begin(), node.end(), calls_aggregate);
}

/// The column of "column = value".
std::string compared_column(const Parsed& node) {
  if (!node.contains("A_Expr")) return "";
  const Parsed& body = node["A_Expr"];
  if (body.value("kind", "") != "AEXPR_OP" ||
      last_of(body.value("name", Parsed::array())) != "=")
    return "";
  const Parsed left = body.value("lexpr", Parsed::object());
  const Parsed right = body.value("rexpr", Parsed::object());
  const bool is_value = right.contains("ParamRef") ||
                        right.contains("A_Const") || right.contains("TypeCast");
  if (!left.contains("ColumnRef") || !is_value) return "";
  return last_of(left["ColumnRef"].value("fields", Parsed::array()));
}

std::vector<std::string> compared_columns(const Parsed& body) {
  if (!body.contains("whereClause")) return {};
  const Parsed& where = body["whereClause"];
  std::vector<std::string> result;
  const auto add = [&](const Parsed& node) {
    std::string column = compared_column(node);
    if (!column.empty()) result.push_back(std::move(column));
  };
  add(where);
  if (where.contains("BoolExpr") &&
      where["BoolExpr"].value("boolop", "") == "AND_EXPR")
    for (const Parsed& part : where["BoolExpr"].value("args", Parsed::array()))
      add(part);
  return result;
}

std::string with_for_update(std::string sql) {
  while (!sql.empty() && (sql.back() == ';' || sql.back() == ' ' ||
                          sql.back() == '\n' || sql.back() == '\t'))
    sql.pop_back();
  // Behind a comment to the end of the line.
  const std::size_t line = sql.rfind('\n');
  const bool has_comment =
      sql.find("--", line == std::string::npos ? 0 : line) != std::string::npos;
  return sql + (has_comment ? "\nFOR UPDATE" : " FOR UPDATE");
}

/// MariaDB locks whatever is read, also when it is counted.
std::optional<PlainSelect> select_of_mariadb(const Statement& statement,
                                             const Catalog& catalog) {
  const std::vector<std::string> first = db::first_words(statement.sql, 1);
  if (first.empty() || first[0] != "SELECT") return std::nullopt;
  PlainSelect result{"", with_for_update(statement.sql), {}};
  const Parsed tree = parsed(in_postgresql_words(statement, catalog).sql);
  if (tree.is_object() && tree.contains("SelectStmt")) {
    const Parsed& body = tree["SelectStmt"];
    const Parsed from = body.value("fromClause", Parsed::array());
    if (body.contains("lockingClause")) return std::nullopt;
    if (from.size() == 1 && from[0].contains("RangeVar")) {
      result.table = name_of_table(from[0]["RangeVar"]);
      result.equal = compared_columns(body);
      return result;
    }
  }
  const StatementTouches touches = touches_of(statement, catalog);
  const bool only_reads =
      touches.footprint && !touches.footprint->is_everything() &&
      touches.footprint->touches().size() == 1 &&
      touches.footprint->touches().begin()->access == Footprint::Access::Reads;
  return only_reads ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<PlainSelect> plain_select(const Statement& statement,
                                        const Catalog& catalog) {
  if (catalog.product == Product::MariaDb)
    return select_of_mariadb(statement, catalog);
  const Parsed tree = parsed(statement.sql);
  if (!tree.is_object() || !tree.contains("SelectStmt")) return std::nullopt;
  const Parsed& body = tree["SelectStmt"];
  for (const char* other :
       {"groupClause", "havingClause", "distinctClause", "windowClause",
        "withClause", "lockingClause", "intoClause", "valuesLists"})
    if (body.contains(other)) return std::nullopt;
  const Parsed from = body.value("fromClause", Parsed::array());
  if (body.value("op", "SETOP_NONE") != "SETOP_NONE" || from.size() != 1 ||
      !from[0].contains("RangeVar") ||
      calls_aggregate(body.value("targetList", Parsed::array())))
    return std::nullopt;
  PlainSelect result;
  result.table = name_of_table(from[0]["RangeVar"]);
  if (catalog.tables.count(result.table) == 0) return std::nullopt;
  result.locked = with_for_update(statement.sql);
  result.equal = compared_columns(body);
  return result;
}

std::optional<std::vector<std::string>> inserted_columns(
    const Statement& statement, const std::string& table,
    const Catalog& catalog) {
  const Parsed tree = parsed(in_postgresql_words(statement, catalog).sql);
  if (!tree.is_object() || !tree.contains("InsertStmt")) return std::nullopt;
  const Parsed& body = tree["InsertStmt"];
  if (name_of_table(body.value("relation", Parsed::object())) != table)
    return std::nullopt;
  std::vector<std::string> result;
  for (const Parsed& column : body.value("cols", Parsed::array()))
    if (column.contains("ResTarget"))
      result.push_back(column["ResTarget"].value("name", ""));
  return result;
}

}  // namespace txscope::race
