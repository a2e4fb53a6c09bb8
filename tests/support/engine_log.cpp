#include "support/engine_log.h"

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace txscope::test {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const sql::Value& value) {
  if (value.is_null()) return nullptr;
  if (value.kind() == sql::Kind::Integer) return value.integer();
  return sql::to_string(value);
}

class LogOfRun {
 public:
  LogOfRun(const sql::Application& application, const Profile& profile)
      : application_(application), profile_(profile) {}

  std::string run(const std::string& setup,
                  const engine::ObservedOutcome& outcome) {
    for (const engine::TraceStep& step : outcome.schedule) {
      now_ += 10;
      add(step);
    }
    const bool is_postgresql = profile_.product == Product::PostgreSql;
    Json header;
    header["txscope"] = "log";
    header["version"] = 1;
    header["dialect"] = is_postgresql ? "postgresql" : "mariadb";
    header["setup"] = Json::array({setup});
    std::string out = header.dump() + "\n";
    for (const auto& [id, txn] : txns_) out += txn.dump() + "\n";
    return out;
  }

 private:
  using Id = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  Json& transaction_of(const engine::TraceStep& step) {
    Json& txn = txns_[{step.session, step.call, step.attempt}];
    if (!txn.is_null()) return txn;
    txn["session"] = step.session + 1;
    txn["id"] = std::to_string(step.session + 1) + "-" +
                std::to_string(step.call + 1) + "-" +
                std::to_string(step.attempt + 1);
    txn["status"] = "aborted";
    txn["start"] = now_ - 5;
    txn["end"] = now_;
    txn["statements"] = Json::array();
    return txn;
  }

  void add(const engine::TraceStep& step) {
    using Kind = engine::TraceStep::Kind;
    Json& txn = transaction_of(step);
    txn["end"] = now_;
    if (step.kind == Kind::Committed) txn["status"] = "committed";
    if (step.statement == nullptr) return;
    if (step.kind != Kind::Executed && step.kind != Kind::Failed) return;
    Json statement;
    statement["sql"] =
        sql::text_with_values(application_, *step.statement, step.slots);
    if (step.kind == Kind::Failed) {
      statement["error"] = error_of(step.code);
    } else if (step.statement->is_select() || !step.rows.empty()) {
      Json rows = Json::array();
      for (const sql::Row& row : step.rows) {
        Json cells = Json::array();
        for (const sql::Value& value : row) cells.push_back(json_of(value));
        rows.push_back(std::move(cells));
      }
      statement["rows"] = std::move(rows);
    } else {
      statement["count"] = step.count;
    }
    txn["statements"].push_back(std::move(statement));
  }

  [[nodiscard]] Json error_of(const std::string& code) const {
    Json error;
    if (profile_.product == Product::PostgreSql)
      error["sqlstate"] = code;
    else
      error["code"] = std::stoll(code);
    error["message"] = code;
    return error;
  }

  const sql::Application& application_;
  const Profile& profile_;
  std::int64_t now_ = 0;
  std::map<Id, Json> txns_;
};

}  // namespace

std::string engine_log(const sql::Application& application,
                       const std::string& setup, const Profile& profile,
                       const engine::ObservedOutcome& outcome) {
  return LogOfRun(application, profile).run(setup, outcome);
}

}  // namespace txscope::test
