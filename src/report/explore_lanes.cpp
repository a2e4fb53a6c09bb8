#include <map>
#include <set>

#include "report/explore_report.h"
#include "report/lanes.h"

namespace txscope {
namespace {

using StepKind = ScheduleStep::Kind;

class Lanes {
 public:
  Lanes(const Program& program, const Code& code, const Violation& violation)
      : program_(program), code_(code), violation_(violation) {}

  std::string text() {
    std::set<std::uint32_t> sessions;
    for (const InstanceId i : violation_.instances) {
      sessions.insert(code_.instances[i.index].session);
    }
    std::vector<std::string> names;
    for (const std::uint32_t s : sessions) {
      lane_of_[s] = names.size();
      names.push_back(program_.sessions[s].name);
    }
    std::set<std::uint32_t> started;
    for (const ScheduleStep& step : violation_.schedule) {
      if (started.insert(step.instance.index).second) {
        add(0, step.instance, begin_text(step.instance));
      }
      // A commit has no statement of its own.
      const bool has_line = step.kind != StepKind::Commit;
      add(has_line ? step.at.line : 0, step.instance, step_text(step));
    }
    return draw_lanes(names, rows_);
  }

 private:
  void add(std::uint32_t line, InstanceId instance, std::string text) {
    const std::uint32_t session = code_.instances[instance.index].session;
    rows_.push_back({lane_of_[session], line, std::move(text)});
  }

  [[nodiscard]] std::string begin_text(InstanceId instance) const {
    const Call& call = call_of(program_, code_, instance);
    const Transaction& transaction = program_.at(call.transaction);
    std::string text = "begin " + call.label;
    if (transaction.name == call.label && transaction.parameters == 0) {
      return text;
    }
    text += ": " + transaction.name + "(";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i > 0) text += ", ";
      text += std::to_string(std::get<std::int64_t>(call.arguments[i]));
    }
    return text + ")";
  }

  [[nodiscard]] std::string step_text(const ScheduleStep& step) const {
    const std::string statement = one_line(program_.text(step.at));
    const std::string value = std::to_string(step.value);
    const std::string label = call_of(program_, code_, step.instance).label;
    switch (step.kind) {
      case StepKind::Read: {
        std::string from = "initial";
        if (step.is_own) from = "own write";
        if (!step.is_own && step.source != kInit) {
          from = "from " + instance_name(program_, code_, step.source);
        }
        if (step.is_stale) from += ", stale";
        return statement + " -> " + value + " (" + from + ")";
      }
      case StepKind::Write: return statement + " -> " + value;
      case StepKind::AssertFailed: return statement + " FAILS";
      case StepKind::Commit: return "commit " + label;
      case StepKind::Abort: return "abort " + label;
      case StepKind::Fault:
        return statement + " ERROR: " + std::string(describe(step.fault));
    }
    return {};
  }

  const Program& program_;
  const Code& code_;
  const Violation& violation_;
  std::map<std::uint32_t, std::size_t> lane_of_;  // by session
  std::vector<LaneRow> rows_;
};

}  // namespace

std::string lanes_text(const Program& program, const Code& code,
                       const Violation& violation) {
  return Lanes(program, code, violation).text();
}

}  // namespace txscope
