#include "race/plan/case_file.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace txscope::race {
namespace {

using Json = nlohmann::ordered_json;

Error wrong(const std::string& file, std::string what, std::string hint = "") {
  return Error{Place{file, 0, 0, {}}, std::move(what), std::move(hint), "", 0};
}

Result<std::string> text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return wrong(file, "cannot be read");
  return text.str();
}

class CaseReader {
 public:
  CaseReader(const Json& json, const std::string& file)
      : json_(json), file_(file) {}

  Result<Plan> run() {
    if (!json_.is_object()) return wrong(file_, "expected an object");
    Plan plan;
    plan.directory = std::filesystem::absolute(file_).parent_path().string();
    if (auto ok = requests(plan); !ok) return ok.error();
    if (auto ok = product(plan); !ok) return ok.error();
    const auto pairs = [](const Json& value, auto take) {
      for (const auto& [name, text] : value.items())
        take(name, text.template get<std::string>());
    };
    for (const char* name : {"env", "rules", "follow"})
      if (auto ok = expect_texts(name, true); !ok) return ok.error();
    for (const char* name : {"ignore", "gave_up"})
      if (auto ok = expect_texts(name, false); !ok) return ok.error();
    if (json_.contains("env"))
      pairs(json_["env"], [&](const std::string& name, std::string value) {
        plan.environment.emplace_back(name, std::move(value));
      });
    if (json_.contains("rules"))
      pairs(json_["rules"], [&](const std::string& name, std::string value) {
        plan.rules.emplace_back(name, std::move(value));
      });
    if (json_.contains("follow"))
      pairs(json_["follow"], [&](const std::string& name, std::string value) {
        plan.followed.emplace(name, std::move(value));
      });
    if (json_.contains("ignore"))
      plan.ignored = json_["ignore"].get<std::vector<std::string>>();
    if (json_.contains("gave_up"))
      plan.gave_up = json_["gave_up"].get<std::vector<std::string>>();
    return plan;
  }

 private:
  Result<Done> product(Plan& plan) {
    if (!json_.contains("product")) return Done{};
    const ProductAlias* named =
        json_["product"].is_string()
            ? product_named(json_["product"].get<std::string>())
            : nullptr;
    const bool is_known =
        named != nullptr && (named->product == Product::PostgreSql ||
                             named->product == Product::MariaDb);
    if (!is_known)
      return wrong(file_, "'product' is no database that requests can race on",
                   "say postgresql or mariadb");
    plan.product = named->product;
    return Done{};
  }

  Result<Done> requests(Plan& plan) {
    if (!json_.contains("requests") || !json_["requests"].is_array() ||
        json_["requests"].empty())
      return wrong(file_, "expected 'requests', an array of command lines",
                   R"(say "requests": [["python3", "app.py", "buy"], ..])");
    for (const Json& one : json_["requests"]) {
      Request request;
      request.name = std::to_string(plan.requests.size() + 1);
      auto command = command_of(one, "request " + request.name);
      if (!command) return command.error();
      request.command = *std::move(command);
      plan.requests.push_back(std::move(request));
    }
    for (const auto& [name, place] :
         {std::pair("serve", &plan.serve), std::pair("reset", &plan.reset)}) {
      if (!json_.contains(name)) continue;
      auto command =
          command_of(json_[name], std::string("'").append(name).append("'"));
      if (!command) return command.error();
      *place = *std::move(command);
    }
    return Done{};
  }

  [[nodiscard]] Result<std::vector<std::string>> command_of(
      const Json& value, const std::string& what) const {
    if (value.is_string())
      return std::vector<std::string>{"/bin/sh", "-c",
                                      value.get<std::string>()};
    if (!are_texts(value, false) || value.empty())
      return wrong(file_, what + " is neither an array of words nor a text");
    return value.get<std::vector<std::string>>();
  }

  static bool are_texts(const Json& value, bool is_object) {
    if (is_object ? !value.is_object() : !value.is_array()) return false;
    for (const Json& one : value)
      if (!one.is_string()) return false;
    return true;
  }

  Result<Done> expect_texts(const char* name, bool is_object) {
    if (!json_.contains(name) || are_texts(json_[name], is_object))
      return Done{};
    return wrong(file_, std::string("'") + name + "' is no " +
                            (is_object ? "object" : "array") + " of texts");
  }

  const Json& json_;
  const std::string& file_;
};

}  // namespace

Result<Case> read_case(const std::string& named) {
  std::error_code none;
  const std::string file =
      std::filesystem::is_directory(named, none)
          ? (std::filesystem::path(named) / "case.json").string()
          : named;
  const auto text = text_of(file);
  if (!text) return text.error();
  const Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return wrong(file, "this is not JSON");
  auto plan = CaseReader(json, file).run();
  if (!plan) return plan.error();
  Case result;
  result.plan = *std::move(plan);
  result.name = json.value("name", std::filesystem::path(file).stem().string());
  result.schema_file =
      (std::filesystem::path(file).parent_path() / "schema.sql").string();
  auto schema = text_of(result.schema_file);
  if (!schema) return schema.error();
  result.schema = *std::move(schema);
  return result;
}

}  // namespace txscope::race
