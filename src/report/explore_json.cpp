#include <nlohmann/json.hpp>

#include "report/explore_report.h"

namespace txscope {
namespace {

using Json = nlohmann::ordered_json;
using StepKind = ScheduleStep::Kind;

std::string_view event_name(StepKind kind) {
  switch (kind) {
    case StepKind::Read: return "read";
    case StepKind::Write: return "write";
    case StepKind::AssertFailed: return "assert-failed";
    case StepKind::Commit: return "commit";
    case StepKind::Abort: return "abort";
    case StepKind::Fault: return "error";
  }
  return "";
}

class Writer {
 public:
  explicit Writer(const ExploreReport& report)
      : report_(report), program_(*report.program), code_(*report.code) {}

  Json results() {
    Json out = Json::array();
    for (const LevelResult& level : report_.result->levels) {
      out.push_back(result(level));
    }
    return out;
  }

  Json violation(const Violation& v) {
    Json json;
    json["kind"] = v.kind == Violation::Kind::Invariant ? "invariant"
                   : v.kind == Violation::Kind::Assert  ? "assert"
                                                        : "error";
    json["name"] = v.name;
    json["place"] = to_string(program_.place(v.at));
    json["condition"] = program_.text(v.at);
    json["transactions"] = names(v.instances);
    json["schedule"] = Json::array();
    for (const ScheduleStep& s : v.schedule)
      json["schedule"].push_back(step(s));
    json["commit_order"] = names(v.commit_order);
    json["values"] = values(v.finals, v.locals);
    if (v.replay_problem) json["replay_problem"] = *v.replay_problem;
    if (v.refused_by) {
      json["refused_by"] = name(*v.refused_by);
      json["anomaly"] = v.anomaly.id;
      json["anomaly_words"] = v.anomaly.words;
    }
    json["serial_orders"] = Json::array();
    for (const SerialRun& run : v.serial) {
      json["serial_orders"].push_back(
          {{"order", names(run.order)},
           {"values", values(run.finals, run.locals)},
           {"violated", run.is_violated}});
    }
    return json;
  }

 private:
  Json result(const LevelResult& level) {
    Json json;
    json["level"] = name(level.level);
    json["order"] = "session";
    json["verdict"] = name(level.verdict);
    json["histories"] = level.histories;
    json["end_states"] = level.end_states;
    json["filtered"] = level.filtered;
    json["discarded"] = level.discarded;
    json["errors"] = level.faulted;
    json["cut"] = level.cut;
    json["blocked"] = level.blocked;
    json["explored"] = level.explored;
    json["duplicates"] = level.duplicates;
    json["complete"] = level.is_complete;
    if (level.spent != Spent::Nothing) json["budget"] = to_string(level.spent);
    json["properties"] = Json::array();
    for (const PropertyResult& row : level.properties) {
      const Property& property = program_.at(row.property);
      Json entry = {{"name", property.name},
                    {"kind", name(property.kind)},
                    {"verdict", name(row.verdict)}};
      if (report_.all) entry["violating"] = row.violating;
      json["properties"].push_back(std::move(entry));
    }
    if (!level.violations.empty()) {
      json["violation"] = violation(level.violations.front());
    }
    if (report_.all) {
      json["violations"] = Json::array();
      for (const Violation& v : level.violations) {
        json["violations"].push_back(violation(v));
      }
    }
    return json;
  }

  Json step(const ScheduleStep& s) {
    const Code::Instance& instance = code_.instances[s.instance.index];
    Json json;
    json["session"] = program_.sessions[instance.session].name;
    json["transaction"] = instance_name(program_, code_, s.instance);
    json["event"] = event_name(s.kind);
    json["place"] = to_string(program_.place(s.at));
    if (s.kind != StepKind::Commit) json["statement"] = program_.text(s.at);
    if (s.kind == StepKind::Read || s.kind == StepKind::Write) {
      json["key"] = key_name(program_, code_, s.key);
      json["value"] = s.value;
    }
    if (s.kind == StepKind::Read) {
      json["from"] = instance_name(program_, code_, s.source);
      if (s.is_stale) json["stale"] = true;
    }
    if (s.kind == StepKind::Fault) json["error"] = describe(s.fault);
    return json;
  }

  Json values(const std::vector<FinalValue>& finals,
              const std::vector<LocalValue>& locals) {
    Json json = Json::object();
    for (const FinalValue& value : finals) {
      json[key_name(program_, code_, value.key)] = value.value;
    }
    for (const LocalValue& local : locals) json[local.name] = local.value;
    return json;
  }

  Json names(const std::vector<InstanceId>& instances) {
    Json json = Json::array();
    for (const InstanceId i : instances) {
      json.push_back(instance_name(program_, code_, i));
    }
    return json;
  }

  const ExploreReport& report_;
  const Program& program_;
  const Code& code_;
};

}  // namespace

nlohmann::ordered_json explore_json(const ExploreReport& report) {
  return Writer(report).results();
}

nlohmann::ordered_json violation_json(const Program& program, const Code& code,
                                      const Violation& violation) {
  ExploreReport report;
  report.program = &program;
  report.code = &code;
  return Writer(report).violation(violation);
}

std::string history_lines(const Program& program, const Code& code,
                          const ExploredHistory& history) {
  using EventKind = ExploredHistory::Event::Kind;
  // Version numbers, from 1, in the order of the file; 0 is initial.
  std::vector<std::vector<std::uint64_t>> versions;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last;
  std::uint64_t next = 0;
  for (const ExploredHistory::Txn& txn : history.txns) {
    versions.emplace_back();
    for (const ExploredHistory::Event& event : txn.events) {
      const bool writes = event.kind == EventKind::Write;
      if (writes) last[{txn.instance.index, event.key.index}] = ++next;
      versions.back().push_back(next);
    }
  }
  Json header = {{"txscope", "history"},
                 {"version", 1},
                 {"default", 0},
                 {"judge_aborted", true}};
  std::string out = header.dump() + "\n";
  for (std::size_t t = 0; t < history.txns.size(); ++t) {
    const ExploredHistory::Txn& txn = history.txns[t];
    std::map<std::uint32_t, std::uint64_t> own;
    Json line;
    line["session"] =
        program.sessions[code.instances[txn.instance.index].session].name;
    line["id"] = instance_name(program, code, txn.instance);
    line["status"] = txn.is_committed ? "committed" : "aborted";
    line["ops"] = Json::array();
    line["values"] = Json::array();
    for (std::size_t e = 0; e < txn.events.size(); ++e) {
      const ExploredHistory::Event& event = txn.events[e];
      std::uint64_t version = 0;
      if (event.kind == EventKind::Write) {
        version = own[event.key.index] = versions[t][e];
      } else if (event.kind == EventKind::OwnRead) {
        version = own[event.key.index];
      } else if (event.source != kInit) {
        version = last[{event.source.index, event.key.index}];
      }
      line["ops"].push_back(
          Json::array({event.kind == EventKind::Write ? "w" : "r",
                       key_name(program, code, event.key), version}));
      if (code.value_name) {
        line["values"].push_back(code.value_name(event.value));
      } else {
        line["values"].push_back(event.value);
      }
    }
    out += line.dump() + "\n";
  }
  return out;
}

}  // namespace txscope
