#include "race/reduce/touches.h"

#include <pg_query.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "race/reduce/mariadb_touches.h"

namespace txscope::race {
namespace {

using Tree = nlohmann::json;
using Access = Footprint::Access;

constexpr const char* kAdvisory = "advisory locks";

/// "public.t" is "t"; names of a CTE are nobody's.
std::string table_name(const Tree& relation) {
  const std::string schema = relation.value("schemaname", "");
  const std::string name = relation.value("relname", "");
  return schema.empty() || schema == "public" ? name : schema + "." + name;
}

void walk(const Tree& node, const std::function<void(const Tree&)>& visit) {
  if (node.is_object()) visit(node);
  if (!node.is_structured()) return;
  for (const Tree& part : node) walk(part, visit);
}

std::string last_name(const Tree& names) {
  if (!names.is_array() || names.empty()) return "";
  const Tree& last = names.back();
  return last.contains("String") ? last["String"].value("sval", "") : "";
}

class Toucher {
 public:
  Toucher(const Statement& statement, const Catalog& catalog)
      : statement_(statement), catalog_(catalog) {}

  StatementTouches run(const Tree& node) {
    if (!node.is_object() || node.size() != 1) return {};
    const std::string kind = node.begin().key();
    const Tree& body = node.begin().value();
    if (kind == "TransactionStmt") return transaction(body);
    if (kind == "VariableSetStmt" || kind == "VariableShowStmt" ||
        kind == "DeallocateStmt")
      return {Control::Part, Footprint(), false};
    if (kind == "DiscardStmt") {
      touch(kAdvisory, "", Access::Unlocks);
      return {Control::None, footprint_, false};
    }
    if (kind != "SelectStmt" && kind != "InsertStmt" && kind != "UpdateStmt" &&
        kind != "DeleteStmt")
      return {};
    collect(node);
    write(kind, body);
    read(kind, body);
    if (!is_understood_) return {Control::None, std::nullopt, keeps_lock_};
    return {Control::None, footprint_, keeps_lock_};
  }

 private:
  static StatementTouches transaction(const Tree& body) {
    const std::string kind = body.value("kind", "TRANS_STMT_BEGIN");
    StatementTouches result{Control::Part, Footprint(), false};
    if (kind == "TRANS_STMT_BEGIN" || kind == "TRANS_STMT_START")
      result.control = Control::Begin;
    else if (kind == "TRANS_STMT_COMMIT")
      result.control = Control::Commit;
    else if (kind == "TRANS_STMT_ROLLBACK" || kind == "TRANS_STMT_ROLLBACK_TO")
      result.control = Control::Rollback;
    else if (kind != "TRANS_STMT_SAVEPOINT" && kind != "TRANS_STMT_RELEASE")
      return {};
    return result;
  }

  void touch(const std::string& object, const std::string& row, Access access) {
    footprint_.add({object, row, access});
  }

  /// Names that are in the statement; what is not plain is not understood.
  void collect(const Tree& node) {
    is_understood_ = !catalog_.has_operators;
    walk(node, [&](const Tree& part) {
      if (part.contains("ctename"))
        made_here_.insert(part["ctename"].get<std::string>());
      if (part.contains("FuncCall")) function(part["FuncCall"]);
      if (part.contains("intoClause")) is_understood_ = false;
      if (part.contains("SelectStmt")) ++queries_;
      for (const char* change : {"InsertStmt", "UpdateStmt", "DeleteStmt"})
        if (part.contains(change) && &part != &node) is_understood_ = false;
      has_lock_ = has_lock_ || part.contains("lockingClause");
    });
    walk(node, [&](const Tree& part) {
      if (!part.contains("relname") || !part["relname"].is_string()) return;
      const std::string name = table_name(part);
      if (made_here_.count(name) == 1) return;
      const auto table = catalog_.tables.find(name);
      if (table == catalog_.tables.end() || !table->second.is_plain)
        is_understood_ = false;
      named_.push_back(name);
    });
  }

  void function(const Tree& call) {
    const std::string name = last_name(call.value("funcname", Tree::array()));
    if (name.find("advisory") != std::string::npos) {
      touch(kAdvisory, "", Access::Locks);
      keeps_lock_ = keeps_lock_ || name.find("xact") == std::string::npos;
    } else if (catalog_.harmless_functions.count(name) == 0) {
      is_understood_ = false;
    }
  }

  void write(const std::string& kind, const Tree& body) {
    if (!is_understood_ || kind == "SelectStmt") return;
    const std::string name = table_name(body.value("relation", Tree()));
    const auto found = catalog_.tables.find(name);
    if (found == catalog_.tables.end()) {
      is_understood_ = false;
      return;
    }
    const Catalog::Table& table = found->second;
    // INSERT .. ON CONFLICT DO UPDATE changes rows, too.
    const bool changes_key =
        (kind == "UpdateStmt" && sets_special(body, table)) ||
        (kind == "InsertStmt" &&
         sets_special(body.value("onConflictClause", Tree::object()), table));
    const std::string row =
        kind == "InsertStmt" || changes_key ? "" : pinned(body, table);
    touch(name, row, Access::Locks);
    if (kind == "UpdateStmt" && table.shows_order)
      touch(name, "", Access::Moves);
    if (kind == "InsertStmt")
      for (const std::string& one : table.sequences)
        touch(one, "", Access::Locks);
    if (kind != "DeleteStmt")
      for (const std::string& parent : table.parents)
        touch(parent, "", Access::Shares);
    if (kind == "DeleteStmt" || changes_key) lock_children(name);
  }

  void lock_children(const std::string& name) {
    for (const std::string& child : catalog_.tables.at(name).children) {
      if (!visited_.insert(child).second) continue;
      if (!catalog_.tables.at(child).is_plain) is_understood_ = false;
      touch(child, "", Access::Locks);
      lock_children(child);
    }
  }

  static bool sets_special(const Tree& body, const Catalog::Table& table) {
    for (const Tree& target : body.value("targetList", Tree::array())) {
      if (!target.contains("ResTarget")) return true;
      if (table.special.count(target["ResTarget"].value("name", "")) == 1)
        return true;
    }
    return false;
  }

  void read(const std::string& kind, const Tree& body) {
    if (!is_understood_) return;
    const Access access = has_lock_ ? Access::Locks : Access::Reads;
    for (const std::string& name : named_) {
      std::string row;
      if (kind != "InsertStmt") row = pinned(body, catalog_.tables.at(name));
      touch(name, row, access);
    }
  }

  /// The row of the one table in the statement that its condition names.
  [[nodiscard]] std::string pinned(const Tree& body,
                                   const Catalog::Table& table) const {
    if (named_.size() != 1 || queries_ > 1 || !made_here_.empty() ||
        table.key.empty() || !body.contains("whereClause"))
      return "";
    if (body.value("op", "SETOP_NONE") != "SETOP_NONE") return "";
    const Tree& where = body["whereClause"];
    if (auto value = equality(where, table)) return *value;
    if (!where.contains("BoolExpr") ||
        where["BoolExpr"].value("boolop", "") != "AND_EXPR")
      return "";
    for (const Tree& part : where["BoolExpr"].value("args", Tree::array()))
      if (auto value = equality(part, table)) return *value;
    return "";
  }

  [[nodiscard]] std::optional<std::string> equality(
      const Tree& node, const Catalog::Table& table) const {
    if (!node.contains("A_Expr")) return std::nullopt;
    const Tree& body = node["A_Expr"];
    if (body.value("kind", "") != "AEXPR_OP" ||
        last_name(body.value("name", Tree::array())) != "=")
      return std::nullopt;
    const Tree left = body.value("lexpr", Tree::object());
    if (!left.contains("ColumnRef") ||
        last_name(left["ColumnRef"].value("fields", Tree::array())) !=
            table.key)
      return std::nullopt;
    return constant(body.value("rexpr", Tree::object()), table);
  }

  [[nodiscard]] std::optional<std::string> constant(
      const Tree& node, const Catalog::Table& table) const {
    std::string value;
    if (node.contains("TypeCast") && table.key_is_number) {
      return constant(node["TypeCast"].value("arg", Tree::object()), table);
    } else if (node.contains("ParamRef")) {
      const std::size_t number = node["ParamRef"].value("number", 0u);
      if (number < 1 || number > statement_.params.size() ||
          statement_.has_unknown || !statement_.params[number - 1])
        return std::nullopt;
      value = *statement_.params[number - 1];
    } else if (node.contains("A_Const") && node["A_Const"].contains("ival")) {
      value = std::to_string(node["A_Const"]["ival"].value("ival", 0));
    } else if (node.contains("A_Const") && node["A_Const"].contains("sval")) {
      value = node["A_Const"]["sval"].value("sval", "");
    } else {
      return std::nullopt;
    }
    if (table.key_is_number && !is_plain_number(value)) return std::nullopt;
    return "=" + value;
  }

  /// Written in one way only.
  static bool is_plain_number(const std::string& text) {
    return text == "0" ||
           (!text.empty() && text[0] != '0' && text.size() < 18 &&
            std::all_of(text.begin(), text.end(),
                        [](char c) { return c >= '0' && c <= '9'; }));
  }

  const Statement& statement_;
  const Catalog& catalog_;
  Footprint footprint_;
  std::vector<std::string> named_;
  std::set<std::string> made_here_;
  std::set<std::string> visited_;
  std::size_t queries_ = 0;
  bool is_understood_ = true;
  bool has_lock_ = false;
  bool keeps_lock_ = false;
};

}  // namespace

StatementTouches touches_of(const Statement& statement,
                            const Catalog& catalog) {
  if (catalog.product == Product::MariaDb) return touches_in_mariadb(statement);
  PgQueryParseResult parsed = ::pg_query_parse(statement.sql.c_str());
  StatementTouches result;
  if (parsed.error == nullptr) {
    const Tree tree = Tree::parse(parsed.parse_tree, nullptr, false);
    const Tree list =
        tree.is_object() ? tree.value("stmts", Tree::array()) : Tree::array();
    if (list.size() == 1 && list[0].contains("stmt"))
      result = Toucher(statement, catalog).run(list[0]["stmt"]);
    if (list.empty()) result.footprint.emplace();
  }
  ::pg_query_free_parse_result(parsed);
  return result;
}

}  // namespace txscope::race
