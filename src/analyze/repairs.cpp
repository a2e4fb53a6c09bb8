#include "analyze/repairs.h"

#include <algorithm>
#include <set>

#include "engine/explain/repair.h"
#include "model/product/error_class.h"
#include "robust/repair.h"

namespace txscope::analyze {
namespace {

/// Steps to try all repairs of one finding.
constexpr std::uint64_t kRepairs = 2'000'000;

/// What is left of a pair with a change.
struct Left {
  bool is_safe = true;  ///< nothing that no serial order gives
  bool has_deadlock = false;
  std::set<std::string> codes;  ///< after which to run it again
};

bool is_race(const Answer& answer) {
  return std::any_of(answer.counterexamples.begin(),
                     answer.counterexamples.end(),
                     [](const Counterexample& example) {
                       if (example.builtin)
                         return *example.builtin != Builtin::NoDeadlock;
                       return example.is_avoided_serially;
                     });
}

Left try_all(CallRunner& runner,
             const std::vector<std::vector<CallRunner::Part>>& all,
             const Profile& profile, const Budget& budget) {
  Left left;
  for (const auto& parts : all) {
    const auto answer = runner.explore(parts, profile, budget);
    left.is_safe = answer && answer->is_complete && !is_race(*answer);
    if (!left.is_safe) return left;
    left.has_deadlock = left.has_deadlock || answer->counts.deadlocks > 0;
    for (const auto& [code, count] : answer->counts.aborts)
      if (is_transient(code)) left.codes.insert(code);
  }
  return left;
}

/// FOR UPDATE behind the SELECT.
std::vector<robust::Edit> edits_of(const sql::Application& application,
                                   const Repair& repair) {
  std::vector<robust::Edit> edits;
  for (const Repair::Lock& lock : repair.locks) {
    std::size_t end = lock.select.offset + lock.select.length;
    const std::string& text = application.source;
    while (
        end > lock.select.offset &&
        (text[end - 1] == ';' || text[end - 1] == ' ' || text[end - 1] == '\n'))
      --end;
    edits.push_back({end, " FOR UPDATE",
                     "FOR UPDATE at line " + std::to_string(lock.select.line)});
  }
  return edits;
}

std::string cost_of(const Left& left, bool is_lock) {
  std::string text;
  if (is_lock) text = "whoever comes second waits for the row";
  if (left.codes.empty()) return text;
  std::string codes;
  for (const std::string& code : left.codes)
    codes += (codes.empty() ? "" : ", ") + code;
  return text + (text.empty() ? "" : "; ") + "transactions may fail with " +
         codes + " and have to be run again";
}

std::string words_of(const Repair& repair) {
  std::string text;
  for (const Repair::Lock& lock : repair.locks)
    text += (text.empty() ? "" : "; ") +
            std::string(lock.is_before
                            ? "lock the same rows with SELECT .. FOR UPDATE "
                              "just before line "
                            : "SELECT .. FOR UPDATE at line ") +
            std::to_string(lock.select.line);
  return text;
}

/// The same in the files that the text comes from; empty: it is not there as it
/// is (a variable of psql was replaced).
std::vector<TriedRepair::Insertion> insertions_of(
    const sql::Application& application, const Repair& repair) {
  std::vector<TriedRepair::Insertion> all;
  for (const Repair::Lock& lock : repair.locks)
    if (lock.is_before) return {};
  const auto edits = edits_of(application, repair);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    TriedRepair::Insertion one{application.file, edits[i].offset, edits[i].text,
                               repair.locks[i].select.line};
    if (application.origin != nullptr) {
      // What stands before it tells which piece it belongs to.
      const auto& piece = application.origin->piece_at(edits[i].offset - 1);
      if (piece.stands_for != 0) return {};
      one.file = application.origin->files[piece.file].name;
      one.offset = piece.at + (edits[i].offset - piece.from);
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// The user's text with the locks; empty: they are no mere additions to it.
std::string diff_of(const sql::Application& application, const Repair& repair) {
  for (const Repair::Lock& lock : repair.locks)
    if (lock.is_before) return "";
  return robust::diff_of(application.source, edits_of(application, repair));
}

}  // namespace

void find_repairs(CallRunner& runner,
                  const std::vector<std::vector<CallRunner::Part>>& all,
                  const Profile& profile, const engine::IsOffered& is_offered,
                  const Budget& budget, RaceFinding& finding) {
  if (finding.kind == FindingKind::Deadlock) return;
  finding.has_tried_repairs = true;
  const Budget effort = budget.at_most(kRepairs);
  // As the calls of the finding.
  if (!runner.explore(all.front(), profile, effort)) return;
  const sql::Application application = runner.application();
  std::vector<Repair> candidates =
      engine::find_repairs(application, profile, finding.example, {},
                           runner.options(), is_offered, effort);
  std::vector<sql::RoutineId> routines;
  for (const CallRunner::Part& part : all.front())
    routines.push_back(part.type->routine);
  Repair every;  // where one lock is not enough for all arguments
  every.locks = engine::lockable_selects(application, routines);
  candidates.push_back(std::move(every));
  for (const Repair& repair : candidates) {
    if (repair.locks.empty()) continue;
    auto changed =
        CallRunner::make(engine::with_locks(application, repair.locks),
                         runner.options().loop_bound, effort);
    if (!changed) continue;
    const Left left = try_all(**changed, all, profile, effort);
    if (!left.is_safe) continue;
    finding.repairs.push_back(
        {"lock", words_of(repair), diff_of(application, repair),
         cost_of(left, true), insertions_of(application, repair)});
    break;  // the smallest one
  }
  for (const Profile& other : profiles()) {
    if (other.product != profile.product ||
        other.isolation <= profile.isolation || !is_offered(other) ||
        effort.spent_now())
      continue;
    const Left left = try_all(runner, all, other, effort);
    if (!left.is_safe) continue;
    finding.safe_from = other.name;
    finding.repairs.push_back({"level",
                               "run them at " + finding.safe_from,
                               "",
                               cost_of(left, false),
                               {}});
    break;
  }
}

}  // namespace txscope::analyze
