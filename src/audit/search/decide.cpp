#include "audit/search/decide.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>

#include "audit/pass/replay.h"
#include "audit/pass/timed_order.h"
#include "audit/rows/few_rows.h"
#include "audit/rows/reachable_versions.h"
#include "audit/rows/row_history.h"
#include "audit/rows/visible_values.h"
#include "audit/search/number_search.h"
#include "audit/search/shrink.h"
#include "base/graph.h"
#include "base/strategy.h"
#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "model/workload.h"

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

/// A level of histories that everything explained at the rule has.
Level level_of(const AuditLevel& level, bool has_times) {
  Level result;
  result.order =
      level.is_strict && has_times ? Order::Realtime : Order::Session;
  switch (level.rule) {
    case Rule::Serializable: result.base = Base::Serializable; break;
    case Rule::Snapshot: result.base = Base::SnapshotIsolation; break;
    case Rule::Prefix:
    case Rule::PostgresRepeatableRead: result.base = Base::Prefix; break;
    default: result.base = Base::ReadCommitted; break;
  }
  // Levels whose statements see old versions do not keep a session's own.
  if (level.rule == Rule::ReadCommitted ||
      level.rule == Rule::MariadbReadCommitted ||
      level.rule == Rule::MariadbRepeatableRead ||
      level.rule == Rule::MariadbSnapshot)
    result.order = Order::Session;
  return result;
}

/// Those whose answers tell that they wrote nothing, or under which key: what
/// rows can have been rests on that.
std::vector<std::uint32_t> told_by_answers(const LoadedLog& log) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t t = 0; t < log.judged().size(); ++t) {
    const Txn& txn = log.judged()[t];
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const sql::LogStatement& s = txn.log->statements[k];
      if (!txn.statements[k]->is_sql() || txn.statements[k]->is_select() ||
          (s.count != std::uint64_t{0} && (!s.rows || s.rows->empty())))
        continue;
      all.push_back(t);
      break;
    }
  }
  return all;
}

Found impossible(const LoadedLog& log, const Impossible& why) {
  Found found;
  found.answer = Outcome::Violated;
  const Txn& txn = log.judged()[why.txn];
  found.first_bad =
      first_bad(txn, Mismatch{why.statement, why.expected, why.why, kSetup});
  if (!why.has_core) return found;
  // More than these are no help to anybody.
  constexpr std::size_t kMostTold = 6;
  const std::vector<std::uint32_t> told = told_by_answers(log);
  if (told.size() > kMostTold) return found;
  std::set<std::uint32_t> core(told.begin(), told.end());
  core.insert(why.others.begin(), why.others.end());
  core.insert(why.txn);
  for (const std::uint32_t one : core)
    found.core.push_back(log.judged()[one].log->id);
  return found;
}

Found refuted(const LoadedLog& log, const History& history,
              const Verdict& verdict) {
  Found found;
  found.answer = Outcome::Violated;
  const Refutation& refutation = verdict.refutation();
  const Anomaly anomaly = anomaly_of(history, verdict.level, refutation);
  std::set<std::uint32_t> members;
  std::string why = anomaly.words + ":";
  for (const Case& c : refutation.cases) {
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      for (const Edge& edge : *cycle) {
        members.insert(edge.from.index);
        members.insert(edge.to.index);
        if (&c == &refutation.cases.front())
          why += " " + reason(history, edge) + ";";
      }
    } else if (const auto* bad = std::get_if<BadRead>(&c.contradiction)) {
      members.insert(history.txn_of(bad->read).index);
      if (&c == &refutation.cases.front()) why += " " + reason(history, *bad);
    } else {
      for (const auto& m : std::get<UnfoundedSet>(c.contradiction).members) {
        members.insert(m.txn.index);
        if (&c == &refutation.cases.front())
          why += " " + reason(history, m) + ";";
      }
    }
  }
  if (why.back() == ';') why.pop_back();
  std::unordered_map<std::uint64_t, const Txn*> by_line;
  for (const Txn& txn : log.judged()) by_line.emplace(txn.log->line, &txn);
  const Txn* last = nullptr;
  for (const std::uint32_t member : members) {
    const auto txn = by_line.find(history.at(TxnId(member)).line);
    if (txn == by_line.end()) continue;
    found.core.push_back(txn->second->log->id);
    if (last == nullptr || txn->second->log->line > last->log->line)
      last = txn->second;
  }
  if (last != nullptr)
    found.first_bad =
        first_bad(*last, Mismatch{last->statements.size(), "", why, kSetup});
  return found;
}

/// One pass in an order of the transactions, by their lines.
using Places = std::unordered_map<std::uint64_t, std::int64_t>;
std::optional<Found> follow(const LoadedLog& log, const AuditLevel& level,
                            const Places& places, const Budget& budget) {
  NextIds ids = log.new_ids();
  const auto& txns = log.whole().txns;
  Replay replay(log.initial(), level, ids, budget, {0, txns.size()});
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const auto place = places.find(txns[t].log->line);
    if (!replay.add(t, txns[t],
                    place == places.end() ? hint(*txns[t].log) : place->second))
      return std::nullopt;
  }
  if (!replay.finish()) return std::nullopt;
  Found found;
  found.answer = Outcome::Holds;
  found.order = replay.order();
  found.given = given_ids(txns, ids);
  return found;
}

/// The order that a real database's times leave open.
std::optional<Found> follow_times(const LoadedLog& log, const AuditLevel& level,
                                  std::uint64_t tries, const Budget& budget) {
  NextIds ids = log.new_ids();
  auto order =
      order_by_times(log.whole(), log.initial(), level, ids, budget, tries);
  if (!order) return std::nullopt;
  Found found;
  found.answer = Outcome::Holds;
  found.order = std::move(*order);
  found.given = given_ids(log.whole().txns, ids);
  return found;
}

/// Where rows of several states may be seen together, all that their history
/// tells is that writers commit before who reads from them: an order of that,
/// or those that can only have read from each other.
std::variant<Places, Found> founded(const LoadedLog& log,
                                    const RowHistory& rows) {
  const auto& txns = log.judged();
  std::vector<Arc> arcs;
  std::unordered_map<std::uint32_t, std::uint32_t> last;  // of a session
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    if (txns[t].log->status != sql::LogStatus::Committed) continue;
    const auto [before, is_first] = last.try_emplace(txns[t].session, t);
    if (!is_first) arcs.push_back({std::exchange(before->second, t), t});
    for (const std::uint32_t writer : rows.read_from(t))
      arcs.push_back({writer, t});
  }
  const Graph graph(txns.size(), arcs);
  if (const auto order = topological_order(graph)) {
    Places places;
    for (std::size_t i = 0; i < order->size(); ++i)
      places[txns[(*order)[i]].log->line] = static_cast<std::int64_t>(i);
    return places;
  }
  const Components components = strong_components(graph);
  const auto sizes = components.sizes();
  std::optional<Node> least;
  for (Node c = 0; c < components.count; ++c)
    if (sizes[c] > 1 && (!least || sizes[c] < sizes[*least])) least = c;
  Found found;
  found.answer = Outcome::Violated;
  const Txn* bad = nullptr;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    if (components.of[t] != *least) continue;
    found.core.push_back(txns[t].log->id);
    bad = &txns[t];
  }
  found.first_bad = first_bad(
      *bad, Mismatch{bad->statements.size(), "",
                     "these transactions can only have read from each other",
                     kSetup});
  return found;
}

/// The transactions of the core, in the order of the log.
void tell_core(const LoadedLog& log, Found& found) {
  constexpr std::size_t kMost = 6;
  if (found.core.size() > kMost) return;
  const std::set<std::string> core(found.core.begin(), found.core.end());
  for (const Txn& txn : log.judged()) {
    if (core.count(txn.log->id) == 0) continue;
    CoreTxn one{
        txn.log->id, txn.log->session, txn.log->line, txn.log->status, {}};
    for (const sql::LogStatement& s : txn.log->statements)
      one.statements.push_back({one_line(with_parameters(s)), describe(s)});
    found.schedule.push_back(std::move(one));
  }
}

/// What is asked of one log at one level, and what the strategies find out on
/// the way, once for all of them.
class LogQuestion {
 public:
  LogQuestion(const LoadedLog& asked_of, const AuditLevel& at,
              const std::optional<FirstBad>& ended)
      : log(asked_of), level(at), stuck(ended) {}

  const LoadedLog& log;
  const AuditLevel& level;
  const std::optional<FirstBad>& stuck;

  [[nodiscard]] std::size_t size() const { return log.whole().txns.size(); }
  [[nodiscard]] bool is_read_committed() const {
    return level.rule == Rule::ReadCommitted;
  }
  /// What single rows tell is told for one level.
  [[nodiscard]] bool has_levels() const {
    const auto& txns = log.whole().txns;
    return std::any_of(txns.begin(), txns.end(), [&](const Txn& txn) {
      return txn.rule && *txn.rule != level.rule;
    });
  }
  const RowHistory& rows() {
    if (!rows_) rows_.emplace(log, level.rule);
    return *rows_;
  }
  /// Of rows; none: they do not tell one.
  const History* history() {
    if (!history_) history_.emplace(rows().history(log.file()));
    return *history_ ? &**history_ : nullptr;
  }
  const Verdict& verdict(const Budget& budget) {
    if (!verdict_) {
      const bool has_times = !missing_times(*history());
      verdict_ = check(*history(), audit::level_of(level, has_times), budget);
    }
    return *verdict_;
  }

 private:
  std::optional<RowHistory> rows_;
  std::optional<Result<History>> history_;
  std::optional<Verdict> verdict_;
};

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
bool is_always(LogQuestion&) { return true; }
/// Those that look for an order know nothing of exact times.
bool is_inexact(LogQuestion& asked) { return !asked.level.has_order(); }
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
    {"visible-values",
     [](LogQuestion& asked) { return !asked.is_read_committed(); },
     Says::Violated, &any_effort, &refute_by_values},
    {"times", &is_inexact, Says::Holds,
     [](const LogQuestion& asked) { return 4 * asked.size() + kTriesByTimes; },
     [](LogQuestion& asked, std::uint64_t tries, const Budget& budget) {
       return follow_times(asked.log, asked.level, tries, budget);
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
       return follow_times(asked.log, asked.level, tries, budget);
     }},
    {"all-orders", &is_always, Says::Anything, &tries_of_orders,
     &search_orders},
});

Says said(const Found& found) {
  switch (found.answer) {
    case Outcome::Holds: return Says::Holds;
    case Outcome::Violated: return Says::Violated;
    case Outcome::Undecided: break;
  }
  return Says::Anything;
}

}  // namespace

Found decide(const LoadedLog& log, const AuditLevel& level,
             const std::optional<FirstBad>& stuck, const Budget& budget) {
  LogQuestion asked(log, level, stuck);
  Found found = decide_by(kStrategies, asked, budget, &said);
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
