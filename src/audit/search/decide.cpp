#include "audit/search/decide.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "audit/rows/few_rows.h"
#include "audit/rows/reachable_versions.h"
#include "audit/rows/settled_answers.h"
#include "audit/rows/visible_values.h"
#include "audit/search/follow.h"
#include "audit/search/number_search.h"
#include "audit/search/question.h"
#include "audit/search/refuted.h"
#include "audit/search/shrink.h"
#include "base/strategy.h"

namespace txscope::audit {
namespace {

/// Logs of so few transactions are searched at once, and that finds the best
/// explanation; but it tries no more than its effort before rows are looked at.
constexpr std::size_t kSmall = 12;
/// Of those with more than this only the beginning can be searched, which is
/// enough where it is the beginning that cannot be explained.
constexpr std::size_t kLong = 4000;
/// Besides the tries below, the short look may ask its budget so often.
constexpr std::uint64_t kStepsOfShort = 200'000;

Found search_all(const LoadedLog& log, const AuditLevel& level,
                 const Budget& budget,
                 std::uint64_t most_tries = ~std::uint64_t{0}) {
  NextIds ids = log.new_ids();
  Found found =
      search(log.whole(), log.initial(), level, ids, budget, most_tries);
  if (found.answer == Outcome::Holds)
    found.given = given_ids(log.whole().txns, ids);
  if (found.answer != Outcome::Violated) return found;
  if (log.is_timed()) {
    found.answer = Outcome::Undecided;
    found.reason =
        "what statements with now() do depends on times that the log does not "
        "tell";
    return found;
  }
  // Other numbers may explain it.
  if (ids.has_drawn()) return search_numbers(log, level, budget, most_tries);
  shrink(log, log.whole(), log.initial(), level, found, budget);
  return found;
}

Found search_rest(const LoadedLog& log, const AuditLevel& level,
                  std::uint64_t most_tries, const Budget& budget) {
  Found found = search_all(log, level, budget, most_tries);
  if (found.answer == Outcome::Undecided && most_tries != kAnyEffort &&
      !budget.spent_now())
    found.reason = "the log is too long to try its orders";
  return found;
}

std::optional<Found> follow_times(LogQuestion& asked, const TimedSearch& search,
                                  const Budget& budget) {
  return follow_times(asked.log, asked.level, asked.wanted(), search, budget);
}

std::optional<Found> decide_by_founding(LogQuestion& asked, std::uint64_t,
                                        const Budget& budget) {
  auto known = founded(asked.log, asked.rows());
  if (auto* refuted = std::get_if<Found>(&known)) return std::move(*refuted);
  return follow(asked.log, asked.level, std::get<Places>(known), budget);
}

std::optional<Found> refute_by_history(LogQuestion& asked, std::uint64_t,
                                       const Budget& budget) {
  const Verdict& verdict = asked.verdict(budget);
  if (verdict.outcome() != Outcome::Violated) return std::nullopt;
  return refuted(asked.log, *asked.history(), verdict);
}

std::optional<Found> refute_by_values(LogQuestion& asked, std::uint64_t,
                                      const Budget& budget) {
  const auto why =
      find_unseeable(asked.log, asked.rows().versions(), asked.level, budget);
  if (!why) return std::nullopt;
  return impossible(asked.log, *why);
}

std::optional<Found> refute_by_few_rows(LogQuestion& asked, std::uint64_t,
                                        const Budget& budget) {
  auto found = FewRows(asked.log).refute(asked.level, asked.stuck, budget);
  // The pass has met it where clients did.
  if (found && asked.stuck &&
      std::find(found->core.begin(), found->core.end(),
                asked.stuck->transaction) != found->core.end())
    found->first_bad = asked.stuck;
  return found;
}

std::optional<Found> follow_history(LogQuestion& asked, std::uint64_t,
                                    const Budget& budget) {
  const Verdict& verdict = asked.verdict(budget);
  if (verdict.outcome() != Outcome::Holds) return std::nullopt;
  Places places;
  const auto& order = verdict.commit_order().order;
  for (std::size_t i = 0; i < order.size(); ++i)
    places[asked.history()->at(order[i]).line] = static_cast<std::int64_t>(i);
  return follow(asked.log, asked.level, places, budget);
}

/// Where little is open the search is at its end at once.
std::optional<Found> search_shortly(LogQuestion& asked, std::uint64_t tries,
                                    const Budget& budget) {
  Found found =
      search_all(asked.log, asked.level, budget.at_most(kStepsOfShort), tries);
  if (found.answer == Outcome::Undecided) return std::nullopt;
  return found;
}

std::optional<Found> search_few(LogQuestion& asked, std::uint64_t tries,
                                const Budget& budget) {
  Found found = search_all(asked.log, asked.level, budget, tries);
  if (found.answer == Outcome::Undecided && !budget.spent_now())
    return std::nullopt;
  return found;
}

std::optional<Found> search_orders(LogQuestion& asked, std::uint64_t tries,
                                   const Budget& budget) {
  return search_rest(asked.log, asked.level, tries, budget);
}

/// Where times are exact there is one order, and little to choose.
std::optional<Found> search_exactly(LogQuestion& asked, std::uint64_t tries,
                                    const Budget& budget) {
  Found found = search_all(asked.log, asked.level, budget, tries);
  if (found.answer == Outcome::Undecided) return std::nullopt;
  return found;
}

bool has_history(LogQuestion& asked) {
  return !asked.is_read_committed() && asked.history() != nullptr;
}
bool asks_versions(LogQuestion& asked) {
  return ReachableVersions::applies(asked.log, asked.level.rule);
}
bool has_comparable_levels(LogQuestion& asked) {
  return asked.has_levels() && asked.size() > kSmall &&
         asked.weakest_rule().has_value();
}
std::optional<Found> refute_at_weakest(LogQuestion& asked, std::uint64_t,
                                       const Budget& budget);

bool is_always(LogQuestion&) { return true; }
/// Those that look for an order know nothing of exact times.
bool is_inexact(LogQuestion& asked) { return !asked.level.has_order(); }
bool sees_by_statement(LogQuestion& asked) {
  return is_by_statement(asked.level.rule) && is_inexact(asked);
}
std::uint64_t any_effort(const LogQuestion&) { return kAnyEffort; }
std::uint64_t tries_of_orders(const LogQuestion& asked) {
  constexpr std::uint64_t kMostOfLong = 1'000'000;
  return asked.size() <= kLong ? kAnyEffort : kMostOfLong;
}
/// How often someone is tried where times tell the order, besides those that
/// find their place at once.
constexpr std::uint64_t kTriesByTimes = 2'000;

// From cheap to dear.  Efforts are tries of a transaction at a place, and for
// versions runs of a statement.
constexpr auto kStrategies = std::to_array<Strategy<LogQuestion, Found>>({
    {"exact-times", [](LogQuestion& asked) { return asked.level.has_order(); },
     Says::Either,
     [](const LogQuestion& asked) { return 4 * asked.size() + 10'000; },
     &search_exactly},
    {"weakest-of-mixed-levels", &has_comparable_levels, Says::Violated,
     &any_effort, &refute_at_weakest},
    {"all-orders-of-mixed-levels",
     [](LogQuestion& asked) { return asked.has_levels(); }, Says::Anything,
     &tries_of_orders, &search_orders},
    {"all-orders-of-few",
     [](LogQuestion& asked) { return asked.size() <= kSmall; }, Says::Anything,
     [](const LogQuestion&) { return std::uint64_t{500}; }, &search_few},
    {"single-rows",
     [](LogQuestion& asked) { return asked.rows().impossible().has_value(); },
     Says::Violated, &any_effort,
     [](LogQuestion& asked, std::uint64_t, const Budget&) {
       return std::optional(impossible(asked.log, *asked.rows().impossible()));
     }},
    {"settled-answers", &is_always, Says::Violated, &any_effort,
     [](LogQuestion& asked, std::uint64_t,
        const Budget& budget) -> std::optional<Found> {
       const auto why =
           find_unsettled(asked.log, asked.rows().versions(), budget);
       if (!why) return std::nullopt;
       return impossible(asked.log, *why);
     }},
    {"visible-values",
     [](LogQuestion& asked) { return !asked.is_read_committed(); },
     Says::Violated, &any_effort, &refute_by_values},
    {"serial-order",
     [](LogQuestion& asked) {
       return asked.level.rule != Rule::Serializable &&
              !asked.has_own_levels() && is_inexact(asked);
     },
     Says::Holds, &any_effort,
     [](LogQuestion& asked, std::uint64_t, const Budget& budget) {
       return follow_serially(asked.log, asked.level, budget);
     }},
    {"times", &is_inexact, Says::Holds,
     [](const LogQuestion& asked) { return 4 * asked.size() + kTriesByTimes; },
     [](LogQuestion& asked, std::uint64_t tries, const Budget& budget) {
       return follow_times(asked, {tries, false}, budget);
     }},
    {"order-of-commits", &sees_by_statement, Says::Holds,
     [](const LogQuestion& asked) {
       return 64 * (asked.size() + kTriesByTimes);
     },
     [](LogQuestion& asked, std::uint64_t tries, const Budget& budget) {
       return follow_times(asked, {tries, true}, budget);
     }},
    {"founded-reads",
     [](LogQuestion&
            asked) { return asked.is_read_committed() && is_inexact(asked); },
     Says::Either, &any_effort, &decide_by_founding},
    {"row-history", &has_history, Says::Violated, &any_effort,
     &refute_by_history},
    {"few-rows", &has_history, Says::Violated, &any_effort,
     &refute_by_few_rows},
    {"order-of-row-history",
     [](LogQuestion& asked) { return has_history(asked) && is_inexact(asked); },
     Says::Holds, &any_effort, &follow_history},
    {"short-search", &asks_versions, Says::Either,
     [](const LogQuestion&) { return std::uint64_t{5'000}; }, &search_shortly},
    {"versions-of-few-rows", &asks_versions, Says::Violated, &any_effort,
     [](LogQuestion& asked, std::uint64_t, const Budget& budget) {
       return FewRows(asked.log).refute_by_versions(asked.stuck, budget);
     }},
    {"versions-of-all-rows", &asks_versions, Says::Violated,
     [](const LogQuestion&) { return std::uint64_t{200'000}; },
     [](LogQuestion& asked, std::uint64_t most, const Budget& budget) {
       std::uint64_t runs = 0;
       return find_unreachable(asked.log, asked.log.whole(),
                               asked.log.initial(), most, runs, budget);
     }},
    {"times-searched", &is_inexact, Says::Holds,
     [](const LogQuestion& asked) {
       return 64 * (asked.size() + kTriesByTimes);
     },
     [](LogQuestion& asked, std::uint64_t tries, const Budget& budget) {
       return follow_times(asked, {tries, false}, budget);
     }},
    {"all-orders", &is_always, Says::Anything, &tries_of_orders,
     &search_orders},
});

std::optional<Found> refute_at_weakest(LogQuestion& asked, std::uint64_t,
                                       const Budget& budget) {
  AuditLevel level = asked.level;
  level.rule = *asked.weakest_rule();
  LogQuestion weak(asked.log, level, asked.stuck);
  for (const auto& row : kStrategies) {
    if (row.says != Says::Violated || row.run == &refute_at_weakest ||
        !row.applies(weak))
      continue;
    if (auto found = row.run(weak, row.effort(weak), budget)) return found;
  }
  return std::nullopt;
}

Says said(const Found& found) {
  switch (found.answer) {
    case Outcome::Holds: return Says::Holds;
    case Outcome::Violated: return Says::Violated;
    case Outcome::Undecided: break;
  }
  return Says::Anything;
}

/// Whether some snapshot may show a table as TRUNCATE left it later.
bool may_be_emptied(const LoadedLog& log, const AuditLevel& level) {
  const auto& txns = log.whole().txns;
  return log.has_truncate() &&
         std::any_of(txns.begin(), txns.end(), [&](const Txn& txn) {
           return txn.rule.value_or(level.rule) == Rule::PostgresRepeatableRead;
         });
}

}  // namespace

Found decide(const LoadedLog& log, const AuditLevel& level,
             const std::optional<FirstBad>& stuck, const Budget& budget) {
  LogQuestion asked(log, level, stuck);
  Found found = decide_by(kStrategies, asked, budget, &said);
  if (found.answer == Outcome::Violated && may_be_emptied(log, level)) {
    found.answer = Outcome::Undecided;
    found.reason =
        "TRUNCATE empties a table for snapshots that were taken before it, "
        "too, and that is not modelled";
  }
  if (found.answer == Outcome::Violated) tell_core(log, found);
  return found;
}

std::vector<Found> refutations(const LoadedLog& log, const AuditLevel& level,
                               const Budget& budget) {
  const std::optional<FirstBad> nowhere;
  std::vector<Found> all;
  for (const auto& row : kStrategies) {
    LogQuestion asked(log, level, nowhere);
    if (row.says != Says::Violated || !row.applies(asked)) continue;
    auto found = row.run(asked, row.effort(asked), budget);
    if (!found) continue;
    found->strategy = row.name;
    all.push_back(std::move(*found));
  }
  return all;
}

}  // namespace txscope::audit
