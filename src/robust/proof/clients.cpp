#include "robust/proof/clients.h"

#include <algorithm>

namespace txscope::robust {
namespace {

using Arguments = std::vector<sql::Value>;

/// Values that a parameter may take.
std::vector<sql::Value> values_for(const sql::Application& application,
                                   const sql::Type& type) {
  switch (kind_of(type.name)) {
    case sql::Kind::Bool:
      return {sql::Value::boolean(true), sql::Value::boolean(false)};
    case sql::Kind::Integer:
      return {sql::Value::integer(1), sql::Value::integer(2)};
    case sql::Kind::Numeric: return {sql::Value::numeric(1, 0)};
    case sql::Kind::Text: {
      std::vector<sql::Value> out;
      for (const auto& session : application.sessions) {
        for (const auto& call : session.calls) {
          for (const auto& argument : call.arguments) {
            if (argument.kind() == sql::Kind::Text &&
                std::find(out.begin(), out.end(), argument) == out.end()) {
              out.push_back(argument);
            }
          }
        }
      }
      if (out.empty()) out.push_back(sql::Value::text("a"));
      return out;
    }
    case sql::Kind::Date: return {sql::Value::date(0)};
    case sql::Kind::Timestamp: return {sql::Value::timestamp(0)};
    default: break;
  }
  return {sql::Value()};
}

/// Arguments for one type: those of the sessions' calls, then combinations.
std::vector<Arguments> arguments_for(const sql::Application& application,
                                     sql::RoutineId id) {
  std::vector<Arguments> out;
  const auto add = [&](const Arguments& arguments) {
    if (std::find(out.begin(), out.end(), arguments) == out.end()) {
      out.push_back(arguments);
    }
  };
  for (const auto& session : application.sessions) {
    for (const auto& call : session.calls) {
      if (call.routine == id) add(call.arguments);
    }
  }
  const sql::Routine& routine = application.at(id);
  std::vector<Arguments> all = {{}};
  for (std::uint32_t p = 1; p <= routine.parameters; ++p) {
    const auto values = values_for(application, routine.variables[p].type);
    std::vector<Arguments> longer;
    for (const Arguments& start : all) {
      for (const sql::Value& value : values) {
        longer.push_back(start);
        longer.back().push_back(value);
      }
    }
    if (longer.size() > 8) longer.resize(8);
    all = std::move(longer);
  }
  for (const Arguments& arguments : all) add(arguments);
  if (out.size() > 8) out.resize(8);
  return out;
}

sql::Call call_of(const sql::Application& application, sql::RoutineId id,
                  const std::string& name, const Arguments& arguments,
                  int number) {
  sql::Call call;
  call.label = name + (number > 1 ? "#" + std::to_string(number) : "");
  call.routine = id;
  call.arguments = arguments;
  call.at = application.at(id).at;
  call.is_made = !application.at(id).is_script;
  return call;
}

}  // namespace

bool try_clients(const sql::Application& application,
                 const std::vector<sql::RoutineId>& types,
                 const OpenTriple& triple, std::size_t most,
                 const Budget& budget,
                 const std::function<bool(const sql::Application&)>& shows) {
  const auto pivot = types[triple.pivot];
  const auto second = types[triple.second];
  const auto last = types[triple.last];
  const auto names = type_names(application, types);
  sql::Application client = application;
  client.properties.clear();
  std::size_t tried = 0;
  for (const Arguments& a : arguments_for(application, pivot)) {
    for (const Arguments& b : arguments_for(application, second)) {
      for (const Arguments& c : arguments_for(application, last)) {
        if (++tried > most || budget.spent_now()) return false;
        client.sessions.assign(2, {});
        client.sessions[0].name = "client1";
        client.sessions[0].calls = {
            call_of(application, pivot, names[triple.pivot], a, 1)};
        client.sessions[1].name = "client2";
        client.sessions[1].calls = {
            call_of(application, second, names[triple.second], b, 1),
            call_of(application, last, names[triple.last], c,
                    second == last ? 2 : 1)};
        if (shows(client)) return true;
      }
    }
  }
  return false;
}

}  // namespace txscope::robust
