#include "engine/explore_profile.h"

#include <chrono>

#include "engine/explain.h"
#include "engine/identifiers.h"
#include "engine/state_search.h"

namespace txscope::engine {
namespace {

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

/// Where the file gives a transaction its level.
Span place_of_level(const sql::Application& application,
                    const sql::Call& call) {
  const std::string_view text = application.source;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = text.substr(at, end - at);
    const std::size_t value = row.rfind(call.level);
    if (row.starts_with("--@ level") && value != std::string_view::npos) {
      return {line, static_cast<std::uint32_t>(value + 1),
              static_cast<std::uint32_t>(at + value),
              static_cast<std::uint32_t>(call.level.size())};
    }
    at = end + 1;
  }
  return call.at;
}

// `--@ level` must name a profile of the product that is explored.
std::optional<Error> check_levels(const sql::Application& application,
                                  const Profile& profile) {
  for (const sql::Session& session : application.sessions) {
    for (const sql::Call& call : session.calls) {
      if (call.level.empty()) continue;
      auto own = parse_profile(call.level);
      if (!own) {
        return error_at(application, place_of_level(application, call),
                        own.error().what, own.error().hint);
      }
      if ((*own)->product == profile.product) continue;
      return error_at(application, place_of_level(application, call),
                      "transaction " + call.label + " has the level " +
                          call.level + ", which cannot run together with " +
                          std::string(profile.name),
                      "one run is on one database: choose levels of the same "
                      "product");
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Answer> explore_profile(const sql::Application& application,
                               const Profile& profile,
                               const ProfileOptions& options,
                               const Budget& budget) {
  if (!budget.spent_now()) {
    const auto ready =
        sql::ReadyApplication::make(application, options.loop_bound, budget);
    if (!ready) return ready.error();
    if (*ready) return explore_profile(**ready, profile, options, budget);
  }
  return undecided_answer(sql::workload_of(application),
                          std::string(profile.name), budget.reason());
}

Result<Answer> explore_profile(const sql::ReadyApplication& ready,
                               const Profile& profile,
                               const ProfileOptions& options,
                               const Budget& budget) {
  const sql::Application& application = ready.application();
  if (application.sessions.size() > kMaxSessions) {
    return error_at(application, application.sessions[kMaxSessions].at,
                    "more than 64 sessions", "");
  }
  if (auto error = check_levels(application, profile)) return *error;
  const auto undecided = [&] {
    return undecided_answer(sql::workload_of(application),
                            std::string(profile.name), budget.reason());
  };
  if (budget.spent_now()) return undecided();
  const sql::Routines& routines = ready.routines();
  RowPool rows;
  // InnoDB locks gaps between numbers: there it matters who got which.
  const std::vector<bool> own =
      options.renames && !options.on_outcome &&
              profile.product != Product::MariaDb
          ? identifying_sequences(application, ready.initial())
          : std::vector<bool>();
  const Surroundings around{routines, rows, budget, own};
  const Selection everything = Selection::all(application);
  Server server(around, profile, everything);
  RuleJudge judge(routines, everything, budget);
  std::optional<SerialOutcomes> serial;
  if (options.builtins)
    serial.emplace(around, profile, everything, ready.initial(),
                   *options.builtins);
  StateSearch search(server, judge, options, budget,
                     serial ? &*serial : nullptr);
  search.run(server.initial(ready.initial()));
  Answer answer = undecided();
  search.report(answer);
  if (!options.explains) return answer;
  // What was found is told even if the search has used up its time.
  const Budget more = budget.with_grace().at_most(kTimeToExplain);
  const Surroundings explaining{routines, rows, more, own};
  for (std::size_t p = 0; p < search.found().size(); ++p) {
    if (!search.found()[p]) continue;
    answer.counterexamples.push_back(explain_violation(
        explaining, profile, ready.initial(), Question::about(p),
        search.found()[p]->path, options));
    if (!options.all) break;
  }
  for (const BuiltinAnswer& row : answer.builtins) {
    if (row.verdict != Outcome::Violated) continue;
    const Question what = Question::about(row.which);
    answer.counterexamples.push_back(
        explain_violation(explaining, profile, ready.initial(), what,
                          search.found(what)->path, options));
  }
  return answer;
}

}  // namespace txscope::engine
