#include "analyze/transaction_type.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

bool any(const std::vector<bool>& set) {
  return std::find(set.begin(), set.end(), true) != set.end();
}

bool overlap(const std::vector<bool>& a, const std::vector<bool>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] && b[i]) return true;
  return false;
}

/// Routines that run inside of others: called by them, or by a trigger.
std::set<std::uint32_t> inner_routines(const sql::Application& application) {
  std::set<std::uint32_t> inner;
  for (const sql::Table& table : application.schema.tables)
    for (const sql::Trigger& trigger : table.triggers)
      inner.insert(trigger.routine);
  for (std::uint32_t r = 0; r < application.routines.size(); ++r)
    sql::for_each_pl(application.routines[r].body,
                     [&](const sql::PlStatement& s) {
                       const auto* call = std::get_if<sql::PlCall>(&s.what);
                       if (call != nullptr && call->routine.index != r)
                         inner.insert(call->routine.index);
                     });
  return inner;
}

/// What sessions run; scripts are named by their session and label.
std::map<std::uint32_t, std::string> session_names(
    const sql::Application& application) {
  std::map<std::uint32_t, std::string> names;
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls) {
      const sql::Routine& routine = application.at(call.routine);
      names.try_emplace(
          call.routine.index,
          routine.is_script ? session.name + "." + call.label : routine.name);
    }
  return names;
}

}  // namespace

std::vector<TransactionType> transaction_types(
    const sql::Application& application) {
  const auto inner = inner_routines(application);
  const auto named = session_names(application);
  std::vector<TransactionType> types;
  std::map<std::string, int> used;
  for (std::uint32_t r = 0; r < application.routines.size(); ++r) {
    const sql::Routine& routine = application.routines[r];
    const auto session = named.find(r);
    if (routine.is_block) continue;
    if (session == named.end() &&
        (inner.count(r) == 1 || routine.is_script || routine.name.empty()))
      continue;
    TransactionType type;
    type.routine = sql::RoutineId(r);
    type.name = session == named.end() ? routine.name : session->second;
    if (const int count = ++used[type.name]; count > 1)
      type.name += "#" + std::to_string(count);
    type.footprint = analysis::footprint_of(application, type.routine);
    if (routine.problem != nullptr)
      type.not_checked = routine.problem->what + " (line " +
                         std::to_string(routine.problem->where.line) + ")";
    else if (session == named.end() && routine.is_function &&
             !any(type.footprint.writes))
      continue;
    types.push_back(std::move(type));
  }
  return types;
}

sql::Call call_with(const sql::Application& application, sql::RoutineId routine,
                    const Arguments& arguments) {
  const sql::Routine& called = application.at(routine);
  const auto parameters =
      arguments.begin() +
      std::min<std::ptrdiff_t>(called.parameters,
                               static_cast<std::ptrdiff_t>(arguments.size()));
  sql::Call call;
  call.routine = routine;
  call.arguments.assign(arguments.begin(), parameters);
  call.settings.assign(parameters, arguments.end());
  call.at = called.at;
  call.is_made = true;
  return call;
}

bool can_meet(const TransactionType& a, const TransactionType& b) {
  return overlap(a.footprint.writes, b.footprint.writes) ||
         overlap(a.footprint.writes, b.footprint.reads) ||
         overlap(a.footprint.reads, b.footprint.writes);
}

}  // namespace txscope::analyze
