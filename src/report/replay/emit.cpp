#include "report/replay/emit.h"

#include <vector>

namespace txscope::report {
namespace {

using Planned = StatementSchedule::Step;

std::string begin_of(const Profile& profile) {
  const std::string level = "ISOLATION LEVEL " + std::string(profile.sql);
  return profile.product == Product::PostgreSql
             ? "BEGIN " + level
             : "SET TRANSACTION " + level + "; START TRANSACTION";
}

std::string comment_of(const Planned& step) {
  switch (step.kind) {
    case Planned::Kind::Statement: return "gives " + step.seen;
    case Planned::Kind::Wait: return "waits";
    case Planned::Kind::Error: return "fails with " + step.code;
    case Planned::Kind::Commit:
    case Planned::Kind::Rollback: break;
  }
  return "";
}

/// Of what waits, the end is told where it was sent.
std::vector<SentScript::Sent> sent_statements(
    const StatementSchedule& schedule) {
  std::vector<SentScript::Sent> result;
  std::vector<bool> is_open(schedule.sessions.size(), false);
  std::vector<std::optional<std::size_t>> waiting(schedule.sessions.size());
  for (const Planned& step : schedule.steps) {
    if (step.is_outside) continue;
    if (auto& at = waiting[step.session]) {
      if (step.kind == Planned::Kind::Rollback) continue;
      result[*at].comment += ", then " + comment_of(step);
      result[*at].fails = step.kind == Planned::Kind::Error;
      if (step.kind == Planned::Kind::Commit) is_open[step.session] = false;
      at.reset();
      continue;
    }
    SentScript::Sent one{step.session,
                         step.sql,
                         "",
                         comment_of(step),
                         step.kind == Planned::Kind::Wait,
                         step.kind == Planned::Kind::Error};
    if (!is_open[step.session] && step.kind == Planned::Kind::Rollback)
      continue;
    if (!is_open[step.session]) one.begin = begin_of(schedule.profile_of(step));
    is_open[step.session] = step.kind != Planned::Kind::Commit &&
                            step.kind != Planned::Kind::Rollback;
    if (one.waits) waiting[step.session] = result.size();
    result.push_back(std::move(one));
  }
  return result;
}

SentScript script_of(const StatementSchedule& schedule) {
  SentScript script;
  script.title =
      "'" + schedule.name + "' at " + std::string(schedule.profile->name);
  script.setup = schedule.setup;
  script.sessions = schedule.sessions;
  script.sent = sent_statements(schedule);
  script.condition = schedule.condition;
  script.condition_name = schedule.name;
  script.finals = schedule.finals;
  return script;
}

}  // namespace

Result<std::string> emitted(const StatementSchedule& schedule,
                            ScriptForm form) {
  if (form != ScriptForm::Sql &&
      schedule.profile->product != Product::PostgreSql)
    return Error{{},
                 "this form runs on PostgreSQL only, not at " +
                     std::string(schedule.profile->name),
                 "say --emit sql, or --level postgresql:read-committed",
                 "",
                 0};
  return written(script_of(schedule), form);
}

}  // namespace txscope::report
