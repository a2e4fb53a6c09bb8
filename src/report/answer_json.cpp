#include <nlohmann/json.hpp>

#include "model/product/profile.h"
#include "report/answer_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

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
    case sql::Kind::Array:
    case sql::Kind::Row:
    case sql::Kind::Range: return to_string(value);
  }
  return nullptr;
}

/// A register's value, a row's columns, or null.
Json row_json(const std::optional<sql::Row>& row, bool is_register) {
  if (!row) return nullptr;
  if (is_register) return value_json(row->front());
  Json cells = Json::array();
  for (const sql::Value& value : *row) cells.push_back(value_json(value));
  return cells;
}

std::string_view kind_name(Counterexample::Kind kind) {
  switch (kind) {
    case Counterexample::Kind::Invariant: return "invariant";
    case Counterexample::Kind::Assert: return "assert";
    case Counterexample::Kind::Builtin: return "builtin";
    case Counterexample::Kind::Witness: return "exists";
    case Counterexample::Kind::Error: break;
  }
  return "error";
}

class ExampleJson {
 public:
  ExampleJson(const Workload& workload, const Counterexample& example)
      : workload_(workload),
        example_(example),
        is_sql_(workload.language == Workload::Language::Sql) {}

  [[nodiscard]] Json json() const {
    const Counterexample& e = example_;
    Json json;
    json["kind"] = kind_name(e.kind);
    json["name"] = e.name;
    if (!e.builtin) {
      json["place"] = to_string(workload_.place(e.at));
      json["condition"] = workload_.text(e.at);
      if (is_sql_) json["value"] = e.value;
      if (!e.numbers.empty()) json["numbers"] = e.numbers;
    }
    json["transactions"] = names(e.calls);
    if (!e.inputs.empty()) json["inputs"] = named(e.inputs);
    json["schedule"] = Json::array();
    for (const Step& s : e.steps) json["schedule"].push_back(step(s));
    if (!e.commit_order.empty()) json["commit_order"] = names(e.commit_order);
    json["values"] = values(e.finals, e.variables);
    if (is_sql_) {
      for (const NamedValue& v : e.variables) {
        json["variables"][v.name] = to_string(v.value);
      }
    }
    if (e.replay_problem) json["replay_problem"] = *e.replay_problem;
    if (e.refused_by) {
      json["refused_by"] = name(*e.refused_by);
      json["anomaly"] = e.anomaly.id;
      json["anomaly_words"] = e.anomaly.words;
    }
    json["serial_orders"] = Json::array();
    for (const SerialRun& run : e.serial) {
      Json entry = {{"order", names(run.order)}};
      if (is_sql_) entry["aborted"] = names(run.aborted);
      entry["values"] = values(run.finals, run.variables);
      if (run.difference.empty()) {
        entry["violated"] = run.is_violated;
      } else {
        entry["difference"] = run.difference;
      }
      json["serial_orders"].push_back(std::move(entry));
    }
    if (is_sql_) json["repairs"] = repairs();
    return json;
  }

 private:
  [[nodiscard]] std::string_view event_name(Step::Kind kind) const {
    switch (kind) {
      case Step::Kind::Read: return "read";
      case Step::Kind::Write: return "write";
      case Step::Kind::Statement: return "statement";
      case Step::Kind::Wait: return "wait";
      case Step::Kind::Error: return "error";
      case Step::Kind::AssertFailed: return "assert-failed";
      case Step::Kind::Commit: return "commit";
      case Step::Kind::Rollback: break;
    }
    return is_sql_ ? "rollback" : "abort";
  }

  [[nodiscard]] Json step(const Step& s) const {
    Json json;
    json["session"] = workload_.sessions[s.call.session].name;
    json["transaction"] = workload_.name(s.call);
    json["event"] = event_name(s.kind);
    json["place"] = to_string(workload_.place(s.at));
    if (is_sql_ || s.kind != Step::Kind::Commit) json["statement"] = s.text;
    if (s.attempt > 0) json["attempt"] = s.attempt + 1;
    if (s.kind == Step::Kind::Statement) json["seen"] = s.seen;
    if (s.kind == Step::Kind::Error) json["error"] = s.code;
    if (s.kind == Step::Kind::Error && is_sql_) json["message"] = s.seen;
    if (s.kind == Step::Kind::Wait) {
      json["waits_for"] = Json::array();
      for (const std::uint32_t other : s.waits_for) {
        json["waits_for"].push_back(workload_.sessions[other].name);
      }
    }
    if (!s.misses.empty()) json["misses"] = names(s.misses);
    if (is_sql_) {
      rows(s, json);
    } else {
      registers(s, json);
    }
    return json;
  }

  /// A step of a `.txn` program reads or writes one register.
  void registers(const Step& s, Json& json) const {
    for (const auto* uses : {&s.reads, &s.writes}) {
      for (const RowUse& use : *uses) {
        json["key"] = use.key;
        json["value"] = row_json(use.row, true);
      }
    }
    for (const RowUse& read : s.reads) {
      json["from"] = writer(read);
      if (read.is_stale) json["stale"] = true;
    }
  }

  /// Rows that somebody in the run writes, and who wrote what was seen.
  void rows(const Step& s, Json& json) const {
    for (const RowUse& read : s.reads) {
      json["reads"].push_back({{"key", read.key},
                               {"row", row_json(read.row, false)},
                               {"from", writer(read)}});
    }
    for (const RowUse& write : s.writes) {
      json["writes"].push_back(
          {{"key", write.key}, {"row", row_json(write.row, false)}});
    }
  }

  [[nodiscard]] std::string writer(const RowUse& use) const {
    return use.writer ? workload_.name(*use.writer) : "init";
  }

  [[nodiscard]] Json values(const std::vector<FinalTable>& finals,
                            const std::vector<NamedValue>& variables) const {
    Json json = Json::object();
    for (const FinalTable& table : finals) {
      if (table.name.empty()) {
        for (const RowUse& use : table.rows) {
          json[use.key] = row_json(use.row, true);
        }
        continue;
      }
      Json rows = Json::array();
      for (const RowUse& use : table.rows) {
        rows.push_back(row_json(use.row, false));
      }
      json[table.name] = std::move(rows);
    }
    if (is_sql_) return json;
    for (const NamedValue& v : variables) json[v.name] = value_json(v.value);
    return json;
  }

  static Json named(const std::vector<NamedValue>& all) {
    Json json = Json::object();
    for (const NamedValue& v : all) json[v.name] = value_json(v.value);
    return json;
  }

  [[nodiscard]] Json names(const std::vector<CallRef>& calls) const {
    Json json = Json::array();
    for (const CallRef call : calls) json.push_back(workload_.name(call));
    return json;
  }

  [[nodiscard]] Json repairs() const {
    Json out = Json::array();
    for (const Repair& repair : example_.repairs) {
      Json entry = {{"kind", repair.kind},
                    {"what", repair.what()},
                    {"diff", repair.diff},
                    {"cost", repair.cost},
                    {"leaves", repair.leaves},
                    {"level", repair.level},
                    {"all_hold", repair.all_hold}};
      entry["for_update"] = Json::array();
      entry["lock_before"] = Json::array();
      for (const Repair::Lock& lock : repair.locks) {
        entry[lock.is_before ? "lock_before" : "for_update"].push_back(
            to_string(workload_.place(lock.select)));
      }
      entry["retry_on"] = repair.retried;
      out.push_back(std::move(entry));
    }
    return out;
  }

  const Workload& workload_;
  const Counterexample& example_;
  const bool is_sql_;
};

void add_counts(const Answer& answer, Json& json) {
  const Counts& c = answer.counts;
  json["histories"] = c.histories;
  json["end_states"] = c.end_states;
  json["filtered"] = c.filtered;
  json["discarded"] = c.discarded;
  if (answer.base) json["errors"] = c.faulted;
  json["cut"] = c.cut;
  json["blocked"] = c.blocked;
  json["explored"] = c.explored;
  json["duplicates"] = c.duplicates;
  json["complete"] = answer.is_complete;
  if (answer.spent != Spent::Nothing) json["budget"] = to_string(answer.spent);
  if (answer.base) return;
  if (c.cut > 0) json["cut_reason"] = answer.cut_reason;
  json["final_states"] = c.final_states;
  json["deadlocks"] = c.deadlocks;
  json["aborts"] = Json::array();
  for (const auto& [code, n] : c.aborts) json["aborts"].push_back(code);
  if (const auto profile = parse_profile(answer.level)) {
    json["observed"] = (*profile)->is_observed;
    json["source"] = (*profile)->source;
    if (!(*profile)->caveat.empty()) json["caveat"] = (*profile)->caveat;
  }
}

Json result(const AnswerReport& report, const Answer& answer) {
  const Workload& workload = *report.workload;
  Json json;
  json["level"] = answer.level;
  json["order"] = "session";
  json["verdict"] = name(answer.outcome);
  add_counts(answer, json);
  json["properties"] = Json::array();
  for (const PropertyAnswer& row : answer.properties) {
    const Property& property = workload.properties[row.property.index];
    Json entry = {{"name", property.name},
                  {"kind", name(property.kind)},
                  {"verdict", name(row.verdict)}};
    const bool is_wanted = property.kind == PropertyKind::Exists;
    if (report.all)
      entry[is_wanted ? "witnesses" : "violating"] = row.violating;
    for (const Counterexample& witness : answer.witnesses) {
      if (witness.property == row.property)
        entry["witness"] = counterexample_json(workload, witness);
    }
    json["properties"].push_back(std::move(entry));
  }
  if (!answer.ends.empty()) json["outcomes"] = Json::array();
  for (const SeenEnd& end : answer.ends) {
    Json values = Json::object();
    for (const NamedValue& v : end.values)
      values[v.name] = v.value.is_null() ? Json() : Json(v.value.integer());
    json["outcomes"].push_back(
        {{"values", std::move(values)}, {"histories", end.histories}});
  }
  // Built-in rows have their run with them: it is none of the verdict's, unless
  // they decide it.
  for (const BuiltinAnswer& row : answer.builtins) {
    Json entry = {{"name", name(row.which)},
                  {"kind", "builtin"},
                  {"verdict", name(row.verdict)}};
    for (const Counterexample& e : answer.counterexamples) {
      if (e.builtin != row.which) continue;
      entry["counterexample"] = counterexample_json(workload, e);
    }
    json["properties"].push_back(std::move(entry));
  }
  std::vector<const Counterexample*> examples;
  for (const Counterexample& e : answer.counterexamples) {
    if (!e.builtin || answer.properties.empty()) examples.push_back(&e);
  }
  if (!examples.empty()) {
    json["violation"] = counterexample_json(workload, *examples.front());
  }
  if (report.all) {
    json["violations"] = Json::array();
    for (const Counterexample* e : examples) {
      json["violations"].push_back(counterexample_json(workload, *e));
    }
  }
  if (!answer.certified.empty()) json["certified"] = answer.certified;
  return json;
}

}  // namespace

nlohmann::ordered_json counterexample_json(const Workload& workload,
                                           const Counterexample& example) {
  return ExampleJson(workload, example).json();
}

nlohmann::ordered_json answer_json(const AnswerReport& report) {
  Json out = Json::array();
  for (const Answer& answer : *report.answers) {
    out.push_back(result(report, answer));
  }
  return out;
}

}  // namespace txscope::report
