#include "race/reduce/row_order.h"

#include <pg_query.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

namespace txscope::race {
namespace {

using Clause = nlohmann::json;

// One value for all rows, whatever their order; sums of floats are taken for
// sums.
constexpr auto kOfAllRows = std::to_array<std::string_view>(
    {"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every"});
constexpr auto kChanges =
    std::to_array<std::string_view>({"InsertStmt", "UpdateStmt", "DeleteStmt"});
// These say nothing of rows.
constexpr auto kWithoutRows = std::to_array<std::string_view>(
    {"TransactionStmt", "VariableSetStmt", "VariableShowStmt", "DeallocateStmt",
     "DiscardStmt", "ListenStmt", "UnlistenStmt", "NotifyStmt", "LockStmt",
     "TruncateStmt"});

std::string last_text(const Clause& names) {
  if (!names.is_array() || names.empty()) return "";
  const Clause& last = names.back();
  return last.contains("String") ? last["String"].value("sval", "") : "";
}

bool has(const Clause& node, std::string_view key) {
  if (node.is_object() && node.contains(key)) return true;
  if (!node.is_structured()) return false;
  return std::any_of(node.begin(), node.end(),
                     [&](const Clause& part) { return has(part, key); });
}

/// The calls of functions outside of queries inside.
void collect_calls(const Clause& node, std::vector<const Clause*>& out) {
  if (node.is_object()) {
    if (node.contains("SelectStmt")) return;
    if (node.contains("FuncCall")) out.push_back(&node["FuncCall"]);
  }
  if (!node.is_structured()) return;
  for (const Clause& part : node) collect_calls(part, out);
}

class OrderReader {
 public:
  explicit OrderReader(const Catalog& catalog) : catalog_(catalog) {}

  void read(const Clause& statement) {
    const std::string kind = statement.begin().key();
    if (std::find(kWithoutRows.begin(), kWithoutRows.end(), kind) !=
        kWithoutRows.end())
      return;
    const bool is_known =
        kind == "SelectStmt" ||
        std::find(kChanges.begin(), kChanges.end(), kind) != kChanges.end();
    if (!is_known || catalog_.has_operators || !names_plain_tables(statement))
      add_all();
    else
      visit(statement);
  }

  void add_all() {
    for (const auto& [name, table] : catalog_.tables) tables_.insert(name);
  }
  std::set<std::string> take() { return std::move(tables_); }

 private:
  /// No view, no trigger: nothing looks at rows that is not in the statement.
  [[nodiscard]] bool names_plain_tables(const Clause& node) const {
    if (node.is_object() && node.contains("relname")) {
      const auto found = catalog_.tables.find(name_of(node));
      if (found != catalog_.tables.end() && !found->second.is_plain)
        return false;
    }
    return !node.is_structured() ||
           std::all_of(node.begin(), node.end(), [&](const Clause& part) {
             return names_plain_tables(part);
           });
  }

  void visit(const Clause& node) {
    if (!node.is_structured()) return;
    if (node.is_object()) {
      if (node.contains("SubLink")) {
        look_at_link(node["SubLink"]);
        return;
      }
      if (node.contains("SelectStmt")) look_at_query(node["SelectStmt"], false);
      for (const char* change : {"UpdateStmt", "DeleteStmt"})
        if (node.contains(change)) look_at_change(node[change]);
      if (node.contains("FuncCall")) look_at_call(node["FuncCall"]);
    }
    for (const Clause& part : node) visit(part);
  }

  /// EXISTS and IN only ask which rows there are.
  void look_at_link(const Clause& link) {
    const std::string kind = link.value("subLinkType", "");
    const bool is_set = kind == "EXISTS_SUBLINK" || kind == "ANY_SUBLINK" ||
                        kind == "ALL_SUBLINK";
    const Clause query = link.value("subselect", Clause::object())
                             .value("SelectStmt", Clause::object());
    look_at_query(query, is_set);
    visit(link.value("testexpr", Clause::object()));
    for (const Clause& part : query) visit(part);
  }

  void look_at_call(const Clause& call) {
    const std::string name = last_text(call.value("funcname", Clause::array()));
    if (name.find("advisory") == std::string::npos &&
        catalog_.harmless_functions.count(name) == 0)
      add_all();
  }

  void look_at_query(const Clause& body, bool is_set) {
    if (body.value("op", "SETOP_NONE") != "SETOP_NONE") {
      add_tables(body);
      return;
    }
    const bool is_locked = body.contains("lockingClause");
    const bool is_cut = body.contains("limitCount");
    const Clause from = body.value("fromClause", Clause::array());
    if (from.empty() || (is_set && !is_locked && !is_cut)) return;
    if (finds_one(body, from) || is_sorted(body, from)) return;
    const Clause targets = body.value("targetList", Clause::array());
    if (!is_locked && !has(from, "SelectStmt") &&
        (is_one_value(body, targets) || are_alike(targets)))
      return;
    add_tables(from);
  }

  void look_at_change(const Clause& body) {
    Clause tables = body.value("fromClause", Clause::array());
    if (body.contains("usingClause")) tables = body["usingClause"];
    const Clause target = {{"RangeVar", body.value("relation", Clause())}};
    if (tables.empty() && finds_one(body, Clause::array({target}))) return;
    tables.push_back(target);
    add_tables(tables);
  }

  /// Its only table's rows are looked for by a key.
  [[nodiscard]] bool finds_one(const Clause& body, const Clause& from) const {
    const Catalog::Table* table = only_table(from);
    if (table == nullptr || !body.contains("whereClause")) return false;
    const Clause& where = body["whereClause"];
    if (compares_key(where, *table)) return true;
    if (!where.contains("BoolExpr") ||
        where["BoolExpr"].value("boolop", "") != "AND_EXPR")
      return false;
    const Clause parts = where["BoolExpr"].value("args", Clause::array());
    return std::any_of(parts.begin(), parts.end(), [&](const Clause& part) {
      return compares_key(part, *table);
    });
  }

  /// "key = value", the value being of no row.
  static bool compares_key(const Clause& node, const Catalog::Table& table) {
    if (!node.contains("A_Expr")) return false;
    const Clause& body = node["A_Expr"];
    const Clause left = body.value("lexpr", Clause::object());
    const Clause right = body.value("rexpr", Clause::object());
    return body.value("kind", "") == "AEXPR_OP" &&
           last_text(body.value("name", Clause::array())) == "=" &&
           left.contains("ColumnRef") &&
           table.unique.count(last_text(
               left["ColumnRef"].value("fields", Clause::array()))) == 1 &&
           (right.contains("SubLink") || !has(right, "ColumnRef"));
  }

  [[nodiscard]] bool is_sorted(const Clause& body, const Clause& from) const {
    const Catalog::Table* table = only_table(from);
    if (table == nullptr || body.contains("groupClause")) return false;
    for (const Clause& one : body.value("sortClause", Clause::array())) {
      const Clause column =
          one.value("SortBy", Clause::object()).value("node", Clause::object());
      if (column.contains("ColumnRef") &&
          table->unique.count(last_text(
              column["ColumnRef"].value("fields", Clause::array()))) == 1)
        return true;
    }
    return false;
  }

  static bool is_one_value(const Clause& body, const Clause& targets) {
    if (body.contains("groupClause")) return false;
    std::vector<const Clause*> calls;
    collect_calls(targets, calls);
    bool is_one = false;
    for (const Clause* call : calls) {
      const std::string name =
          last_text(call->value("funcname", Clause::array()));
      if (call->contains("over") || name.ends_with("agg")) return false;
      is_one = is_one || std::find(kOfAllRows.begin(), kOfAllRows.end(),
                                   name) != kOfAllRows.end();
    }
    return is_one;
  }

  /// SELECT 1 AS found: all rows look the same.
  static bool are_alike(const Clause& targets) {
    return !has(targets, "ColumnRef") && !has(targets, "FuncCall");
  }

  [[nodiscard]] const Catalog::Table* only_table(const Clause& from) const {
    if (from.size() != 1 || !from[0].contains("RangeVar")) return nullptr;
    const auto found = catalog_.tables.find(name_of(from[0]["RangeVar"]));
    return found == catalog_.tables.end() || !found->second.is_plain
               ? nullptr
               : &found->second;
  }

  static std::string name_of(const Clause& relation) {
    const std::string schema = relation.value("schemaname", "");
    const std::string name = relation.value("relname", "");
    return schema.empty() || schema == "public" ? name : schema + "." + name;
  }

  void add_tables(const Clause& node) {
    if (!node.is_structured()) return;
    if (node.is_object() && node.contains("SelectStmt")) return;
    if (node.is_object() && node.contains("relname"))
      tables_.insert(name_of(node));
    for (const Clause& part : node) add_tables(part);
  }

  const Catalog& catalog_;
  std::set<std::string> tables_;
};

}  // namespace

std::set<std::string> tables_by_order(const Statement& statement,
                                      const Catalog& catalog) {
  if (catalog.product != Product::PostgreSql) return {};
  OrderReader reader(catalog);
  PgQueryParseResult parsed = ::pg_query_parse(statement.sql.c_str());
  const Clause tree = parsed.error == nullptr
                          ? Clause::parse(parsed.parse_tree, nullptr, false)
                          : Clause();
  ::pg_query_free_parse_result(parsed);
  if (!tree.is_object()) reader.add_all();
  if (tree.is_object())
    for (const Clause& one : tree.value("stmts", Clause::array()))
      if (one.contains("stmt") && one["stmt"].is_object())
        reader.read(one["stmt"]);
  return reader.take();
}

}  // namespace txscope::race
