#include "audit/pass/saved_state.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "model/sql/value/parse_value.h"

namespace txscope::audit {
namespace {

using StateJson = nlohmann::ordered_json;

constexpr int kStateVersion = 4;

StateJson row_json(const RowPtr& row) {
  if (row == nullptr) return nullptr;
  StateJson values = StateJson::array();
  for (const sql::Value& value : *row)
    values.push_back(value.is_null() ? StateJson(nullptr)
                                     : StateJson(to_string(value)));
  return values;
}

Error bad_state(const std::string& file, std::string what) {
  Error error;
  error.where = {file, 0, 0, {}};
  error.what = std::move(what);
  error.hint = "remove the file to start the audit from the log's beginning";
  return error;
}

/// Nothing: a value is none of its column's type.
std::optional<RowPtr> row_of(const StateJson& json, const sql::Table& table) {
  if (json.is_null()) return RowPtr();
  if (json.size() != table.columns.size()) return std::nullopt;
  sql::Row row;
  for (std::size_t c = 0; c < json.size(); ++c) {
    if (json[c].is_null()) {
      row.emplace_back();
      continue;
    }
    auto value =
        sql::parse_value(json[c].get<std::string>(), table.columns[c].type);
    if (!value) return std::nullopt;
    row.push_back(*value);
  }
  return std::make_shared<const sql::Row>(std::move(row));
}

StateJson level_json(const LevelState& level) {
  StateJson json;
  json["level"] = level.level;
  json["points"] = level.replay.points;
  json["ends"] = level.replay.ends;
  json["session_last"] = level.replay.session_last;
  if (level.replay.latest_start)
    json["latest_start"] = *level.replay.latest_start;
  json["next_ids"] = level.next_ids;
  json["waiting"] = level.waiting;
  json["tables"] = StateJson::array();
  for (const auto& table : level.tables) {
    StateJson rows = StateJson::array();
    for (const auto& versions : table) {
      StateJson chain = StateJson::array();
      for (const Tables::Version& version : versions)
        chain.push_back({version.at, row_json(version.row)});
      rows.push_back(std::move(chain));
    }
    json["tables"].push_back(std::move(rows));
  }
  return json;
}

/// Throws what nlohmann throws where something is missing.
std::optional<LevelState> level_from(const StateJson& json,
                                     const sql::Schema& schema) {
  LevelState level;
  level.level = json.at("level");
  level.replay.points = json.at("points").get<std::vector<Position>>();
  level.replay.ends = json.at("ends").get<std::vector<std::int64_t>>();
  level.replay.session_last =
      json.at("session_last").get<std::vector<Position>>();
  if (json.contains("latest_start"))
    level.replay.latest_start = json["latest_start"].get<std::int64_t>();
  level.next_ids = json.at("next_ids").get<std::vector<std::int64_t>>();
  level.waiting = json.at("waiting").get<std::vector<std::uint64_t>>();
  std::sort(level.waiting.begin(), level.waiting.end());
  const StateJson& tables = json.at("tables");
  if (tables.size() != schema.tables.size() || level.replay.points.empty() ||
      level.replay.points.size() != level.replay.ends.size() ||
      level.next_ids.size() != schema.sequences.size())
    return std::nullopt;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    auto& rows = level.tables.emplace_back();
    for (const StateJson& chain : tables[t]) {
      auto& versions = rows.emplace_back();
      for (const StateJson& version : chain) {
        auto row = row_of(version.at(1), schema.tables[t]);
        if (!row) return std::nullopt;
        versions.push_back({version.at(0).get<Position>(), std::move(*row)});
      }
      // A row that never was there has no place in a table.
      if (versions.empty() || versions.front().row == nullptr)
        return std::nullopt;
    }
  }
  return level;
}

}  // namespace

std::string state_text(const SavedState& state) {
  StateJson json;
  json["txscope"] = "audit-state";
  json["version"] = kStateVersion;
  json["lines"] = state.lines;
  json["log"] = state.log;
  json["options"] = state.options;
  json["sessions"] = state.sessions;
  json["unknown_tables"] = state.unknown_tables;
  json["transactions"] = state.transactions;
  json["statements"] = state.statements;
  json["aborted"] = state.aborted;
  json["unknown"] = state.unknown;
  json["skipped"] = state.skipped;
  json["not_judged"] = state.not_judged;
  json["levels"] = StateJson::array();
  for (const LevelState& level : state.levels)
    json["levels"].push_back(level_json(level));
  return json.dump() + "\n";
}

Result<SavedState> parse_state(const std::string& text,
                               const sql::Schema& schema,
                               const std::string& file) {
  try {
    const StateJson json = StateJson::parse(text);
    if (json.at("txscope") != "audit-state")
      return bad_state(file, "this is no state of an audit");
    if (json.at("version") != kStateVersion)
      return bad_state(file, "the state is of another version of txscope");
    SavedState state;
    state.lines = json.at("lines");
    state.log = json.at("log");
    state.options = json.at("options");
    state.sessions = json.at("sessions").get<std::vector<std::string>>();
    state.unknown_tables =
        json.at("unknown_tables").get<std::vector<std::string>>();
    state.transactions = json.at("transactions");
    state.statements = json.at("statements");
    state.aborted = json.at("aborted");
    state.unknown = json.at("unknown");
    state.skipped = json.at("skipped");
    state.not_judged = json.at("not_judged");
    for (const StateJson& one : json.at("levels")) {
      auto level = level_from(one, schema);
      if (!level)
        return bad_state(file, "the state does not fit the tables of this log");
      state.levels.push_back(std::move(*level));
    }
    return state;
  } catch (const nlohmann::json::exception&) {
    return bad_state(file, "this is no state of an audit, or it is damaged");
  }
}

}  // namespace txscope::audit
