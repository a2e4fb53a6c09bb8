#include "engine/search/explore_profile.h"

#include "engine/explain/explain.h"
#include "engine/identity/identifiers.h"
#include "engine/identity/session_marks.h"
#include "engine/search/state_search.h"

namespace txscope::engine {
namespace {

/// For all counterexamples together; some ten seconds.
constexpr std::uint64_t kStepsToExplain = 3'000'000;

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
      if (!call.level || call.level->profile->product == profile.product)
        continue;
      return error_at(application, call.level->at,
                      "transaction " + call.label + " has the level " +
                          std::string(call.level->profile->name) +
                          ", which cannot run together with " +
                          std::string(profile.name),
                      "one run is on one database: choose levels of the same "
                      "product");
    }
  }
  return std::nullopt;
}

/// Who has to fail at PostgreSQL's serializable is looked for among sessions in
/// the order of their numbers; InnoDB's victims are, too.
bool may_exchange(const sql::Application& application, const Profile& profile) {
  if (profile.product != Product::PostgreSql ||
      profile.isolation == Isolation::Serializable)
    return false;
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls)
      if (call.level &&
          call.level->profile->isolation == Isolation::Serializable)
        return false;
  return true;
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
  Identifiers identifiers;
  if (options.renames && !options.on_outcome &&
      profile.product != Product::MariaDb)
    identifiers = identifiers_of(application, ready.initial());
  const std::vector<bool>& own = identifiers.sequences;
  Surroundings around{routines, rows, budget, own};
  std::optional<SessionMarks> marks;
  if (options.exchanges && !identifiers.blank_columns.empty() &&
      may_exchange(application, profile))
    marks = SessionMarks::find(application, identifiers, ready.initial());
  if (marks) around.marks = &*marks;
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
  if (options.on_answer) options.on_answer(answer);
  if (!options.explains) return answer;
  // What was found is told even if the search has used up its time.
  const Budget more = budget.with_grace().at_most(kStepsToExplain);
  const Surroundings explaining = around.with(more);
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
