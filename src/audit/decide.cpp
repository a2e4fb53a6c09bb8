#include "audit/decide.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>

#include "audit/few_rows.h"
#include "audit/reachable_versions.h"
#include "audit/replay.h"
#include "audit/row_history.h"
#include "audit/shrink.h"
#include "audit/timed_order.h"
#include "base/graph.h"
#include "check/anomaly.h"
#include "check/check.h"
#include "model/workload.h"

namespace txscope::audit {
namespace {

/// Logs of so few transactions are searched at once.
constexpr std::size_t kSmall = 12;
/// Of those with more than this only the beginning can be searched, which is
/// enough where it is the beginning that cannot be explained.
constexpr std::size_t kLong = 4000;
constexpr std::uint64_t kMostTriesOfLong = 1'000'000;
/// How often statements are run to find every version that there can be.
constexpr std::uint64_t kMostRunsOfAll = 200'000;
/// A look before that.
constexpr std::uint64_t kTriesOfShort = 5'000;
constexpr std::chrono::milliseconds kTimeOfShort{300};
/// How often someone is tried where times tell the order, besides those that
/// find their place at once.
constexpr std::uint64_t kTriesByTimes = 2'000;

Found search_all(const LoadedLog& log, const AuditLevel& level,
                 const Budget& budget,
                 std::uint64_t most_tries = ~std::uint64_t{0}) {
  NextIds ids = log.new_ids();
  Found found =
      search(log.whole(), log.initial(), level, ids, budget, most_tries);
  if (found.answer == Found::Answer::Violated && ids.has_guessed()) {
    found.answer = Found::Answer::Undecided;
    found.reason =
        ids.has_drawn()
            ? "ids that the database generated were not observed"
            : "what statements with now() do depends on times that the log "
              "does not tell";
  }
  if (found.answer == Found::Answer::Violated)
    shrink(log, log.whole(), log.initial(), level, found, budget);
  return found;
}

Found search_rest(const LoadedLog& log, const AuditLevel& level,
                  const Budget& budget) {
  if (log.whole().txns.size() <= kLong) return search_all(log, level, budget);
  Found found = search_all(log, level, budget, kMostTriesOfLong);
  if (found.answer == Found::Answer::Undecided && !budget.spent_now())
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

Found impossible(const LoadedLog& log, const Impossible& why) {
  Found found;
  found.answer = Found::Answer::Violated;
  const Txn& txn = log.judged()[why.txn];
  found.first_bad =
      first_bad(txn, Mismatch{why.statement, why.expected, why.why, kSetup});
  for (const std::uint32_t other : why.others)
    found.core.push_back(log.judged()[other].log->id);
  found.core.push_back(txn.log->id);
  return found;
}

Found refuted(const LoadedLog& log, const History& history,
              const Verdict& verdict) {
  Found found;
  found.answer = Found::Answer::Violated;
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
  found.answer = Found::Answer::Holds;
  found.order = replay.order();
  return found;
}

enum class Effort : std::uint8_t { Look, Search };

/// The order that a real database's times leave open.
std::optional<Found> follow_times(const LoadedLog& log, const AuditLevel& level,
                                  Effort effort, const Budget& budget) {
  NextIds ids = log.new_ids();
  const std::uint64_t size = log.whole().txns.size();
  const std::uint64_t tries = effort == Effort::Look
                                  ? 4 * size + kTriesByTimes
                                  : 64 * (size + kTriesByTimes);
  auto order =
      order_by_times(log.whole(), log.initial(), level, ids, budget, tries);
  if (!order) return std::nullopt;
  Found found;
  found.answer = Found::Answer::Holds;
  found.order = std::move(*order);
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
  found.answer = Found::Answer::Violated;
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

/// What a short search decides, or what no versions explain that the
/// transactions can have made in whatever order: of the rows of single
/// statements, then of all.
std::optional<Found> decide_by_versions(const LoadedLog& log,
                                        const AuditLevel& level,
                                        const std::optional<FirstBad>& stuck,
                                        const Budget& budget) {
  if (!ReachableVersions::applies(log, level.rule)) return std::nullopt;
  // Where little is open the search is at its end at once.
  Found searched =
      search_all(log, level, budget.at_most(kTimeOfShort), kTriesOfShort);
  if (searched.answer != Found::Answer::Undecided) return searched;
  if (auto found = FewRows(log).refute_by_versions(stuck, budget)) return found;
  std::uint64_t runs = 0;
  return find_unreachable(log, log.whole(), log.initial(), kMostRunsOfAll, runs,
                          budget);
}

Found search_times_and_rest(const LoadedLog& log, const AuditLevel& level,
                            const Budget& budget) {
  if (auto found = follow_times(log, level, Effort::Search, budget))
    return *found;
  return search_rest(log, level, budget);
}

Found decide_level(const LoadedLog& log, const AuditLevel& level,
                   const std::optional<FirstBad>& stuck, const Budget& budget) {
  const auto& txns = log.whole().txns;
  const std::size_t size = txns.size();
  // What single rows tell is told for one level.
  const bool has_levels = std::any_of(
      txns.begin(), txns.end(),
      [&](const Txn& txn) { return txn.rule && *txn.rule != level.rule; });
  if (has_levels) return search_rest(log, level, budget);
  if (size <= kSmall) return search_all(log, level, budget);
  const RowHistory rows(log, level.rule);
  if (rows.impossible()) return impossible(log, *rows.impossible());
  if (auto found = follow_times(log, level, Effort::Look, budget))
    return *found;
  if (level.rule == Rule::ReadCommitted) {
    auto known = founded(log, rows);
    if (auto* refuted = std::get_if<Found>(&known)) return std::move(*refuted);
    if (auto found = follow(log, level, std::get<Places>(known), budget))
      return *found;
    if (auto found = decide_by_versions(log, level, stuck, budget))
      return *found;
    return search_times_and_rest(log, level, budget);
  }
  const auto history = rows.history(log.file());
  if (history) {
    const bool has_times = !missing_times(*history);
    const Verdict verdict = check(*history, level_of(level, has_times), budget);
    if (verdict.outcome() == Outcome::Violated)
      return refuted(log, *history, verdict);
    if (auto found = FewRows(log).refute(level, stuck, budget)) {
      // The pass has met it where clients did.
      if (stuck && std::find(found->core.begin(), found->core.end(),
                             stuck->transaction) != found->core.end())
        found->first_bad = stuck;
      return *found;
    }
    if (verdict.outcome() == Outcome::Holds) {
      Places places;
      const auto& order = verdict.commit_order().order;
      for (std::size_t i = 0; i < order.size(); ++i)
        places[history->at(order[i]).line] = static_cast<std::int64_t>(i);
      if (auto found = follow(log, level, places, budget)) return *found;
    }
  }
  if (auto found = decide_by_versions(log, level, stuck, budget)) return *found;
  return search_times_and_rest(log, level, budget);
}

}  // namespace

Found decide(const LoadedLog& log, const AuditLevel& level,
             const std::optional<FirstBad>& stuck, const Budget& budget) {
  Found found = decide_level(log, level, stuck, budget);
  if (found.answer == Found::Answer::Violated) tell_core(log, found);
  return found;
}

}  // namespace txscope::audit
