#include "support/json_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace txscope::test {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return value.type_name() == type;
}

/// One schema document; its $refs are resolved in it.
class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  [[nodiscard]] std::string problem(const Json& schema, const Json& value,
                                    const std::string& path) const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string found = of_keyword(keyword, rule, schema, value, path);
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  [[nodiscard]] std::string of_keyword(const std::string& keyword,
                                       const Json& rule, const Json& schema,
                                       const Json& value,
                                       const std::string& path) const {
    for (const char* other :
         {"$schema", "$defs", "title", "description", "then"}) {
      if (keyword == other) return "";
    }
    if (keyword == "$ref") return problem(target(rule), value, path);
    if (keyword == "type") return of_type(rule, value, path);
    if (keyword == "const") {
      return value == rule ? "" : path + " is not " + rule.dump();
    }
    if (keyword == "enum") {
      return std::find(rule.begin(), rule.end(), value) != rule.end()
                 ? ""
                 : path + ": " + value.dump() + " is none of " + rule.dump();
    }
    if (keyword == "minimum") {
      return value >= rule ? "" : path + " is less than " + rule.dump();
    }
    if (keyword == "required") return of_required(rule, value, path);
    if (keyword == "properties") return of_properties(rule, value, path);
    if (keyword == "additionalProperties") {
      return of_others(rule, schema, value, path);
    }
    if (keyword == "items") return of_items(rule, value, path);
    if (keyword == "allOf") {
      for (const Json& each : rule) {
        std::string found = problem(each, value, path);
        if (!found.empty()) return found;
      }
      return "";
    }
    if (keyword == "anyOf" || keyword == "oneOf") {
      return of_alternatives(rule, keyword == "oneOf", value, path);
    }
    if (keyword == "if") {
      if (!problem(rule, value, path).empty()) return "";
      return problem(schema.at("then"), value, path);
    }
    return "this test does not know the keyword " + keyword;
  }

  [[nodiscard]] const Json& target(const std::string& reference) const {
    return root_.at(Json::json_pointer(reference.substr(1)));
  }

  static std::string of_type(const Json& rule, const Json& value,
                             const std::string& path) {
    const Json types = rule.is_array() ? rule : Json::array({rule});
    for (const Json& type : types) {
      if (has_type(value, type)) return "";
    }
    return path + ": " + value.dump() + " is no " + rule.dump();
  }

  static std::string of_required(const Json& rule, const Json& value,
                                 const std::string& path) {
    if (!value.is_object()) return "";
    for (const Json& name : rule) {
      if (!value.contains(name)) return path + " has no " + name.dump();
    }
    return "";
  }

  [[nodiscard]] std::string of_properties(const Json& rule, const Json& value,
                                          const std::string& path) const {
    if (!value.is_object()) return "";
    for (const auto& [name, schema] : rule.items()) {
      if (!value.contains(name)) continue;
      std::string found = problem(schema, value.at(name), path + "/" + name);
      if (!found.empty()) return found;
    }
    return "";
  }

  static std::string of_others(const Json& rule, const Json& schema,
                               const Json& value, const std::string& path) {
    if (rule != false) return "additionalProperties can only be false here";
    if (!value.is_object()) return "";
    for (const auto& [name, unused] : value.items()) {
      if (!schema.at("properties").contains(name)) {
        return path + "/" + name + " is not in the schema";
      }
    }
    return "";
  }

  [[nodiscard]] std::string of_items(const Json& rule, const Json& value,
                                     const std::string& path) const {
    if (!value.is_array()) return "";
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string found =
          problem(rule, value[i], path + "/" + std::to_string(i));
      if (!found.empty()) return found;
    }
    return "";
  }

  [[nodiscard]] std::string of_alternatives(const Json& rule, bool is_one,
                                            const Json& value,
                                            const std::string& path) const {
    std::string all;
    int fitting = 0;
    for (const Json& each : rule) {
      const std::string found = problem(each, value, path);
      fitting += found.empty() ? 1 : 0;
      all += (all.empty() ? "" : "; or ") + found;
    }
    if (fitting == 0) return all;
    return is_one && fitting > 1 ? path + " fits several" : "";
  }

  const Json& root_;
};

}  // namespace

std::string schema_problem(const Json& schema, const Json& value) {
  return Validator(schema).problem(schema, value, "");
}

}  // namespace txscope::test
