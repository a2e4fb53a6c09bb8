#include "race/wire/driver_question.h"

#include <pg_query.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/ascii.h"

namespace txscope::race {
namespace {

using Question = nlohmann::json;

// One of these is in each.
constexpr auto kSigns = std::to_array<std::string_view>(
    {"pg_catalog.version()", "current_schema()", "set_config", "pg_type"});

/// Follows a whole question: does it look at anything but the catalogue?
class QuestionReader {
 public:
  bool is_about_server(const Question& statement) {
    if (!statement.contains("SelectStmt")) return false;
    visit(statement);
    return is_harmless_ &&
           std::all_of(relations_.begin(), relations_.end(),
                       [&](const auto& one) { return made_.count(one) == 1; });
  }

 private:
  void visit(const Question& node) {
    if (node.is_object()) look_at(node);
    if (!node.is_structured()) return;
    for (const Question& part : node) visit(part);
  }

  void look_at(const Question& node) {
    if (node.contains("ctename"))
      made_.insert(node["ctename"].get<std::string>());
    if (node.contains("relname") && !is_of_catalogue(node))
      relations_.insert(node["relname"].get<std::string>());
    for (const char* other : {"InsertStmt", "UpdateStmt", "DeleteStmt",
                              "lockingClause", "intoClause"})
      if (node.contains(other)) is_harmless_ = false;
    if (node.contains("FuncCall"))
      for (const Question& name :
           node["FuncCall"].value("funcname", Question::array()))
        look_at_function(
            name.contains("String") ? name["String"].value("sval", "") : "");
  }

  static bool is_of_catalogue(const Question& relation) {
    const std::string schema = relation.value("schemaname", "");
    return schema == "pg_catalog" || schema == "information_schema" ||
           (schema.empty() &&
            relation.value("relname", "").rfind("pg_", 0) == 0);
  }

  void look_at_function(const std::string& name) {
    for (const char* part : {"advisory", "nextval", "setval", "notify"})
      if (name.find(part) != std::string::npos) is_harmless_ = false;
  }

  std::set<std::string> made_;
  std::set<std::string> relations_;
  bool is_harmless_ = true;
};

}  // namespace

bool is_driver_question(std::string_view sql) {
  const std::string text = ascii::lower(sql);
  if (std::none_of(kSigns.begin(), kSigns.end(), [&](auto sign) {
        return text.find(sign) != std::string::npos;
      }))
    return false;
  PgQueryParseResult parsed = ::pg_query_parse(std::string(sql).c_str());
  bool result = false;
  if (parsed.error == nullptr) {
    const Question tree = Question::parse(parsed.parse_tree, nullptr, false);
    const Question all =
        tree.is_object() ? tree.value("stmts", Question::array()) : Question();
    result = all.size() == 1 && all[0].contains("stmt") &&
             QuestionReader().is_about_server(all[0]["stmt"]);
  }
  ::pg_query_free_parse_result(parsed);
  return result;
}

}  // namespace txscope::race
