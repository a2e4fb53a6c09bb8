#include <set>

#include "db/keeper.h"
#include "db/workloads/workload.h"

namespace txscope::db {
namespace {

/// Values that an argument may have: those that the file's own calls give that
/// parameter, and a few that nobody thought of.
std::vector<sql::Value> pool_of(const sql::Application& application,
                                sql::RoutineId routine, std::size_t parameter) {
  std::vector<sql::Value> pool;
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls)
      if (call.routine == routine && parameter < call.arguments.size())
        pool.push_back(call.arguments[parameter]);
  const sql::Type type = application.at(routine).variables[1 + parameter].type;
  switch (sql::kind_of(type.name)) {
    case sql::Kind::Integer:
      for (int i = 1; i <= 5; ++i) pool.push_back(sql::Value::integer(i));
      break;
    case sql::Kind::Numeric:
      for (int i = 1; i <= 5; ++i) pool.push_back(sql::Value::numeric(i, 0));
      break;
    case sql::Kind::Bool:
      pool.push_back(sql::Value::boolean(false));
      pool.push_back(sql::Value::boolean(true));
      break;
    case sql::Kind::Text:
      for (const char* text : {"a", "b", "c"})
        pool.push_back(sql::Value::text(text));
      break;
    case sql::Kind::Date:
      for (int i = 9000; i < 9005; ++i) pool.push_back(sql::Value::date(i));
      break;
    case sql::Kind::Timestamp:
      for (int i = 9000; i < 9005; ++i)
        pool.push_back(sql::Value::timestamp(i * 86'400'000'000));
      break;
    default: break;  // what the file's own calls have is all there is
  }
  if (pool.empty()) pool.emplace_back();
  return pool;
}

struct RandomCall {
  sql::RoutineId routine;
  std::vector<std::vector<sql::Value>> pools;  ///< by parameter
};

CallSource random_calls(const sql::Application& application) {
  std::set<std::uint32_t> called;
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls)
      called.insert(call.routine.index);
  std::vector<RandomCall> calls;
  for (std::uint32_t i = 0; i < application.routines.size(); ++i) {
    const sql::Routine& routine = application.routines[i];
    // Functions that no session calls are helpers of the others.
    if (called.count(i) == 0 && routine.is_function) continue;
    RandomCall& call = calls.emplace_back();
    call.routine = sql::RoutineId{i};
    for (std::size_t p = 0; p < routine.parameters; ++p)
      call.pools.push_back(pool_of(application, call.routine, p));
  }
  return [calls](Random& random) -> std::optional<ChosenCall> {
    const RandomCall& call = calls[random.below(calls.size())];
    ChosenCall chosen{call.routine, {}};
    for (const auto& pool : call.pools)
      chosen.arguments.push_back(pool[random.below(pool.size())]);
    return chosen;
  };
}

}  // namespace

Result<CallSource> application_calls(const sql::Application& application,
                                     bool has_random_arguments,
                                     std::uint64_t client) {
  if (application.sessions.empty() && application.routines.empty())
    return failure(application.file + " has nothing to call",
                   "it needs a procedure or a '--@ session'");
  if (has_random_arguments || application.sessions.empty())
    return random_calls(application);
  const sql::Session& session =
      application.sessions[client % application.sessions.size()];
  if (session.calls.empty())
    return failure("session " + session.name + " calls nothing");
  return CallSource([&session, next = std::size_t{0}](
                        Random&) mutable -> std::optional<ChosenCall> {
    const sql::Call& call = session.calls[next++ % session.calls.size()];
    return ChosenCall{call.routine, call.arguments};
  });
}

}  // namespace txscope::db
