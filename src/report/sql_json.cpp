#include <nlohmann/json.hpp>

#include "report/sql_report.h"

namespace txscope {
namespace {

using Json = nlohmann::ordered_json;
using PictureKind = SqlPicture::Step::Kind;

std::string_view step_name(PictureKind kind) {
  switch (kind) {
    case PictureKind::Statement: return "statement";
    case PictureKind::Wait: return "wait";
    case PictureKind::Error: return "error";
    case PictureKind::Commit: return "commit";
    case PictureKind::Rollback: return "rollback";
  }
  return "";
}

Json value_json(const sql::Value& value) {
  switch (value.kind()) {
    case sql::Kind::Null: return nullptr;
    case sql::Kind::Bool: return value.is_true();
    case sql::Kind::Integer: return value.integer();
    case sql::Kind::Numeric:  // exact decimals as strings
    case sql::Kind::Text:
    case sql::Kind::Date:
    case sql::Kind::Timestamp:
    case sql::Kind::TimestampTz:
    case sql::Kind::Time:
    case sql::Kind::Interval:
    case sql::Kind::Float:
    case sql::Kind::Enum:
    case sql::Kind::Array: return to_string(value);
  }
  return nullptr;
}

class SqlWriter {
 public:
  explicit SqlWriter(const SqlReport& report)
      : report_(report), application_(*report.application) {}

  Json results() const {
    Json out = Json::array();
    for (const SqlLevel& level : report_.levels) out.push_back(result(level));
    return out;
  }

 private:
  [[nodiscard]] Json result(const SqlLevel& level) const {
    Json json;
    json["level"] = level_name(level);
    json["order"] = "session";
    json["verdict"] = name(verdict_of(level));
    if (level.profile != nullptr) {
      counts(*level.profile, json);
    } else {
      counts(*level.theory, json);
    }
    json["properties"] = Json::array();
    for (std::size_t p = 0; p < application_.properties.size(); ++p) {
      const sql::Property& property = application_.properties[p];
      Json entry = {{"name", property.name},
                    {"kind", name(property.kind)},
                    {"verdict", name(verdict_of(report_, level, p))}};
      if (report_.all) entry["violating"] = violating(report_, level, p);
      json["properties"].push_back(std::move(entry));
    }
    const auto drawn = pictures(report_, level);
    if (!drawn.empty()) json["violation"] = violation(drawn.front());
    if (report_.all) {
      json["violations"] = Json::array();
      for (const SqlPicture& v : drawn) {
        json["violations"].push_back(violation(v));
      }
    }
    return json;
  }

  static void counts(const engine::ProfileResult& r, Json& json) {
    json["histories"] = r.outcomes;
    json["end_states"] = r.outcomes;
    json["filtered"] = 0;
    json["discarded"] = 0;
    json["cut"] = r.cut;
    json["blocked"] = r.blocked;
    json["explored"] = r.states;
    json["duplicates"] = 0;
    json["complete"] = r.is_complete;
    if (r.spent != Spent::Nothing) json["budget"] = to_string(r.spent);
    if (r.cut > 0) json["cut_reason"] = r.cut_reason;
    json["final_states"] = r.final_states;
    json["deadlocks"] = r.deadlocks;
    json["aborts"] = Json::array();
    for (const auto& [code, n] : r.aborts) json["aborts"].push_back(code);
    json["observed"] = r.profile->is_observed;
    json["source"] = r.profile->source;
  }

  static void counts(const LevelResult& r, Json& json) {
    json["histories"] = r.histories;
    json["end_states"] = r.end_states;
    json["filtered"] = r.filtered;
    json["discarded"] = r.discarded;
    json["cut"] = r.cut;
    json["blocked"] = r.blocked;
    json["explored"] = r.explored;
    json["duplicates"] = r.duplicates;
    json["complete"] = r.is_complete;
    if (r.spent != Spent::Nothing) json["budget"] = to_string(r.spent);
  }

  [[nodiscard]] Json violation(const SqlPicture& v) const {
    const sql::Property& property = application_.properties[v.property];
    Json json;
    json["kind"] = name(property.kind);
    json["name"] = property.name;
    json["place"] = to_string(application_.place(property.at));
    json["condition"] = application_.text(property.at);
    json["value"] = v.value;
    json["transactions"] = v.transactions;
    json["schedule"] = Json::array();
    for (const SqlPicture::Step& s : v.steps)
      json["schedule"].push_back(step(s));
    json["values"] = values(v.finals);
    if (!v.variables.empty()) {
      for (const auto& [variable, value] : v.variables) {
        json["variables"][variable] = value;
      }
    }
    if (v.replay_problem) json["replay_problem"] = *v.replay_problem;
    if (v.refused_by) {
      json["refused_by"] = name(*v.refused_by);
      json["anomaly"] = v.anomaly.id;
      json["anomaly_words"] = v.anomaly.words;
    }
    json["serial_orders"] = Json::array();
    for (const SqlPicture::Serial& run : v.serial) {
      json["serial_orders"].push_back({{"order", run.order},
                                       {"aborted", run.aborted},
                                       {"values", values(run.finals)},
                                       {"violated", run.is_violated}});
    }
    json["repairs"] = Json::array();
    for (const engine::Repair& repair : v.repairs) {
      Json entry = {{"level", repair.profile->name},
                    {"all_hold", repair.all_hold}};
      entry["for_update"] = Json::array();
      entry["lock_before"] = Json::array();
      for (const engine::Repair::Lock& lock : repair.locks) {
        entry[lock.is_before ? "lock_before" : "for_update"].push_back(
            to_string(application_.place(lock.select)));
      }
      entry["retry_on"] = repair.retried;
      json["repairs"].push_back(std::move(entry));
    }
    return json;
  }

  [[nodiscard]] Json step(const SqlPicture::Step& s) const {
    Json json;
    json["session"] = application_.sessions[s.session].name;
    json["transaction"] = call_name(application_, s.session, s.call);
    json["event"] = step_name(s.kind);
    json["place"] = to_string(application_.place(s.at));
    json["statement"] = s.statement;
    if (s.attempt > 0) json["attempt"] = s.attempt + 1;
    if (s.kind == PictureKind::Statement) json["seen"] = s.seen;
    if (s.kind == PictureKind::Error) {
      json["error"] = s.code;
      json["message"] = s.seen;
    }
    if (s.kind == PictureKind::Wait) {
      json["waits_for"] = Json::array();
      for (const std::uint32_t other : s.waits_for) {
        json["waits_for"].push_back(application_.sessions[other].name);
      }
    }
    if (!s.misses.empty()) json["misses"] = s.misses;
    return json;
  }

  [[nodiscard]] Json values(
      const std::vector<SqlPicture::TableRows>& tables) const {
    Json json = Json::object();
    for (const SqlPicture::TableRows& table : tables) {
      Json rows = Json::array();
      for (const sql::Row& row : table.rows) {
        Json cells = Json::array();
        for (const sql::Value& value : row) cells.push_back(value_json(value));
        rows.push_back(std::move(cells));
      }
      json[application_.schema.at(table.table).name] = std::move(rows);
    }
    return json;
  }

  const SqlReport& report_;
  const sql::Application& application_;
};

}  // namespace

nlohmann::ordered_json sql_json(const SqlReport& report) {
  return SqlWriter(report).results();
}

}  // namespace txscope
