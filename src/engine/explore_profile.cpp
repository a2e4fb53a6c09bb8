#include "engine/explore_profile.h"

#include <chrono>

#include "engine/explain.h"
#include "engine/search.h"
#include "engine/serial.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxSerialOrders = 720;
constexpr std::chrono::seconds kTimeToExplain{20};

Error error_at(const sql::Application& application, Span at, std::string what,
               std::string hint) {
  Error error;
  error.where = application.place(at);
  error.what = std::move(what);
  error.hint = std::move(hint);
  error.source_line = std::string(application.line(at));
  return error;
}

// `--@ level` must name a profile of the product that is explored.
std::optional<Error> check_levels(const sql::Application& application,
                                  const Profile& profile) {
  for (const sql::Session& session : application.sessions) {
    for (const sql::Call& call : session.calls) {
      if (call.level.empty()) continue;
      auto own = parse_profile(call.level);
      if (!own) {
        return error_at(application, call.at, std::move(own).error().what,
                        own.error().hint);
      }
      if ((*own)->product == profile.product) continue;
      return error_at(application, call.at,
                      "transaction " + call.label + " has the level " +
                          call.level + ", which cannot run together with " +
                          std::string(profile.name),
                      "one run is on one database: choose levels of the same "
                      "product");
    }
  }
  return std::nullopt;
}

/// Nothing is known yet; every property has its row all the same.
ProfileResult undecided_result(const sql::Application& application,
                               const Profile& profile) {
  ProfileResult result;
  result.profile = &profile;
  for (std::size_t p = 0; p < application.properties.size(); ++p) {
    PropertyVerdict row;
    row.property = static_cast<std::uint32_t>(p);
    result.properties.push_back(row);
  }
  return result;
}

}  // namespace

Result<ProfileResult> explore_profile(const sql::Application& application,
                                      const Profile& profile,
                                      const ProfileOptions& options,
                                      const Budget& budget) {
  if (application.sessions.size() > kMaxSessions) {
    return error_at(application, application.sessions[kMaxSessions].at,
                    "more than 64 sessions", "");
  }
  if (auto error = check_levels(application, profile)) return *error;
  ProfileResult result = undecided_result(application, profile);
  if (budget.spent_now()) {
    result.spent = budget.reason();
    return result;
  }
  const sql::Routines routines(application, options.loop_bound);
  const auto set_up = sql::MemoryDatabase::after_setup(routines, budget);
  if (const auto* failure = std::get_if<sql::SqlError>(&set_up)) {
    return error_at(application, failure->at,
                    "the setup fails: " + failure->message,
                    "SQLSTATE " + failure->sqlstate);
  }
  const auto* database = std::get_if<sql::MemoryDatabase>(&set_up);
  if (database == nullptr) {
    result.spent = budget.reason();
    return result;
  }
  RowPool rows;
  const Surroundings around{routines, rows, budget};
  const Selection everything = Selection::all(application);
  Machine machine(around, profile, everything);
  Judge judge(routines, everything, budget);
  Search search(machine, judge, options, budget);
  search.run(machine.initial(*database));
  search.report(result);
  result.serial = run_serially_in_all_orders(*database, application, everything,
                                             kMaxSerialOrders, budget);
  if (!options.explains || budget.reason() == Spent::Cancelled) return result;
  // What was found is explained even if the search has used up its time.
  const Budget more({kTimeToExplain, std::nullopt});
  const Surroundings explaining{routines, rows, more};
  for (std::size_t p = 0; p < search.found().size(); ++p) {
    if (!search.found()[p]) continue;
    result.violations.push_back(explain_violation(
        explaining, profile, *database, p, search.found()[p]->path, options));
    if (!options.all) break;
  }
  return result;
}

}  // namespace txscope::engine
