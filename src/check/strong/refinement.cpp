#include "check/strong/refinement.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <queue>

#include "base/graph.h"
#include "check/engines.h"
#include "check/strong/saturate.h"
#include "check/strong/schedule.h"
#include "check/strong/serial/serial_clock.h"
#include "check/strong/serial/serial_run.h"
#include "check/strong/serial/serial_script.h"

namespace txscope::check {
namespace {

constexpr int kRounds = 6;  // of saturation; more find next to nothing
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::size_t kMany = 5000;  // findings that make a guess a bad one

}  // namespace

Refinement::Refinement(const History& history, const Facts& facts,
                       const OrderIndex& order, Level level,
                       const Budget& budget)
    : history_(history),
      facts_(facts),
      order_(order),
      level_(level),
      budget_(budget),
      known_(history, facts, order, level.base) {}

Verdict Refinement::run() {
  auto verdict = run_for(kNoLimit);
  return verdict ? *std::move(verdict) : Verdict{level_, budget_.reason()};
}

std::optional<Verdict> Refinement::run_for(std::uint64_t max_conflicts) {
  auto order = guess();
  if (order.size() < known_.node_count()) return violated_by_known(order);
  start_solver(order);
  order = {};
  return conclude(max_conflicts);
}

Verdict Refinement::go_on() {
  auto verdict = conclude(kNoLimit);
  return verdict ? *std::move(verdict) : Verdict{level_, budget_.reason()};
}

std::optional<Verdict> Refinement::conclude(std::uint64_t max_conflicts) {
  switch (refine(max_conflicts)) {
    case Outcome::Holds: return holds();
    case Outcome::Violated: return violated();
    case Outcome::Undecided: break;
  }
  return std::nullopt;
}

std::optional<Verdict> Refinement::try_to_hold() {
  auto order = guess();
  if (order.size() < known_.node_count()) return std::nullopt;
  start_solver(order);
  order = {};
  if (refine(history_.size()) != Outcome::Holds) return std::nullopt;
  return holds();
}

std::optional<Verdict> Refinement::try_to_hold(std::vector<double> times) {
  times_ = std::move(times);
  const auto order = schedule_by({});
  if (order.size() < known_.node_count()) return std::nullopt;
  start_solver(order);
  if (refine(history_.size()) != Outcome::Holds) return std::nullopt;
  return holds();
}

Outcome Refinement::refine(std::uint64_t max_conflicts) {
  solver_->limit_conflicts(max_conflicts);
  for (;;) {
    if (budget_.spent_now()) return Outcome::Undecided;
    switch (solver_->solve(budget_)) {
      case sat::Satisfiability::Unknown: return Outcome::Undecided;
      case sat::Satisfiability::Unsatisfiable: return Outcome::Violated;
      case sat::Satisfiability::Satisfiable: break;
    }
    if (budget_.spent_now() || solver_->conflicts() > max_conflicts)
      return Outcome::Undecided;
    if (findings_.size() > kMany) guess_again();
    walk();
    if (findings_.empty()) return Outcome::Holds;
    const std::size_t stated = stated_;
    for (const Finding& finding : findings_) state(finding);
    assert(stated_ > stated && "what was stated cannot go wrong again");
    (void)stated;
  }
}

// At order none sessions are no chains of the graph, but most histories have
// session order anyway, and a guess may be wrong.
std::vector<Refinement::Node> Refinement::guess() {
  if (level_.base < Base::Prefix) return schedule(history_, facts_, known_, {});
  if (order_.order() != Order::None) {
    forced_ = saturate(history_, facts_, known_, kRounds, budget_);
    return schedule(history_, facts_, known_, links_of(forced_));
  }
  const OrderIndex sessions(history_, facts_, Order::Session);
  const KnownGraph graph(history_, facts_, sessions, level_.base);
  const auto forced = saturate(history_, facts_, graph, kRounds, budget_);
  auto order = schedule(history_, facts_, graph, links_of(forced));
  if (order.size() == known_.node_count()) return order;
  return schedule(history_, facts_, known_, {});
}

// Keeps what the solver has chosen, and orders the rest anew: repairing a bad
// guess place by place makes as much disorder as it removes.
void Refinement::guess_again() {
  auto links = links_of(forced_);
  const auto chosen = solver_->chosen_edges();
  links.insert(links.end(), chosen.begin(), chosen.end());
  const auto order = times_.empty() ? schedule(history_, facts_, known_, links)
                                    : schedule_by(links);
  assert(order.size() == known_.node_count() &&
         "the solver's graph is acyclic");
  solver_->graph().set_order(order);
}

// A topological order of the known graph that is as near to the times as it
// can be.
std::vector<Refinement::Node> Refinement::schedule_by(
    std::span<const KnownGraph::Link> links) const {
  const std::size_t count = known_.node_count();
  std::vector<Arc> arcs;
  std::vector<std::uint32_t> waits_for(count, 0);
  const auto add = [&](const KnownGraph::Link& link) {
    arcs.push_back({link.from, link.to});
    ++waits_for[link.to];
  };
  known_.for_links(add);
  for (const auto& link : links) add(link);
  const Graph graph(count, arcs);
  // What is no transaction goes as soon as it can.
  const auto time_of = [&](Node n) {
    const TxnId t = known_.txn_of(n);
    return t == kNone<TxnId> ? -1.0 : times_[t.index];
  };
  using Waiting = std::pair<double, Node>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> ready;
  for (Node n = 0; n < count; ++n)
    if (waits_for[n] == 0) ready.emplace(time_of(n), n);
  std::vector<Node> order;
  order.reserve(count);
  while (!ready.empty()) {
    const Node n = ready.top().second;
    ready.pop();
    order.push_back(n);
    for (const Node next : graph.successors(n))
      if (--waits_for[next] == 0) ready.emplace(time_of(next), next);
  }
  return order;
}

Verdict Refinement::holds() {
  CommitOrder evidence;
  evidence.order.push_back(History::kInitial);
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (counts(TxnId(i))) evidence.order.push_back(TxnId(i));
  std::sort(evidence.order.begin() + 1, evidence.order.end(),
            [&](TxnId a, TxnId b) {
              return commit_position(a) < commit_position(b);
            });
  for (const OpenRead& read : open_reads_) {
    if (!counts(read.reader)) continue;
    for (const auto& candidate : read.candidates) {
      if (!solver_->is_true(candidate.chosen)) continue;
      evidence.reads_from.push_back({read.op, candidate.writer});
      break;
    }
  }
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (history_.at(TxnId(i)).status == Status::Unknown)
      evidence.outcomes.push_back({TxnId(i), counts(TxnId(i))});
  return {level_, std::move(evidence)};
}

namespace {

// A history of a stronger level has this one, with the same evidence, and most
// histories of good databases nearly are serializable.  That has the smallest
// graph, and with session order the fewest choices, so it is worth a try, but
// no more than that.
std::optional<Verdict> by_stronger_level(const History& history,
                                         const Facts& facts,
                                         const OrderIndex& order, Level level,
                                         const Budget& budget) {
  constexpr std::size_t kLarge = 500;
  if (history.size() < kLarge) return std::nullopt;
  const auto attempt = [&](Base base, const OrderIndex& by) {
    const Level stronger{base, by.order()};
    auto verdict =
        Refinement(history, facts, by, stronger, budget).try_to_hold();
    if (verdict) verdict->level = level;
    return verdict;
  };
  if (level.order == Order::None) {
    const OrderIndex sessions(history, facts, Order::Session);
    if (auto verdict = attempt(Base::Serializable, sessions)) return verdict;
    if (level.base == Base::Serializable) return std::nullopt;
    return attempt(level.base, sessions);
  }
  if (level.base == Base::Serializable) return std::nullopt;
  return attempt(Base::Serializable, order);
}

// Transactions from which on it is worth to run a history before it is
// searched, and to guess its times.
constexpr std::size_t kLeastToRun = 20;
constexpr std::size_t kLeastToGuess = 200;
constexpr std::size_t kMostToRunUntimed = 2500;

bool has_times(const History& history) {
  return std::all_of(history.txns().begin() + 1, history.txns().end(),
                     [](const Txn& t) { return t.end != Txn::kNoTime; });
}

CommitOrder run_by_times(const History& history, const Facts& facts,
                         const SerialScript& script,
                         std::span<const double> times) {
  std::vector<std::uint32_t> order(times.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return times[a] < times[b];
  });
  std::vector<std::uint32_t> places(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return script.evidence(history, facts, order, places);
}

// If nobody wrote down times they are guessed; the search then has to put
// right what little is wrong.
std::optional<Verdict> by_guessed_times(const History& history,
                                        const Facts& facts,
                                        const OrderIndex& order, Level level,
                                        const Budget& budget) {
  if (history.size() < kLeastToGuess) return std::nullopt;
  SerialScript script;
  if (!script.collect(history, facts, order, budget) || script.has_times)
    return std::nullopt;
  const GuessedTimes guessed = guess_times(script, budget);
  if (guessed.times.empty()) return std::nullopt;
  if (guessed.wrong_reads == 0 && level.order != Order::Realtime)
    return Verdict{level, run_by_times(history, facts, script, guessed.times)};
  std::vector<double> times(history.size(), -1);
  for (std::size_t m = 0; m < guessed.times.size(); ++m)
    times[script.members[m].txn.index] = guessed.times[m];
  const Level serializable{Base::Serializable, order.order()};
  auto verdict = Refinement(history, facts, order, serializable, budget)
                     .try_to_hold(std::move(times));
  if (verdict) verdict->level = level;
  return verdict;
}

// Where values repeat, most histories still are of databases that work, and
// running them is much cheaper than asking who wrote what.
std::optional<Verdict> by_running(const History& history, const Facts& facts,
                                  const OrderIndex& order, Level level,
                                  const Budget& budget) {
  // A small one is searched sooner than it is run.
  if (history.size() < kLeastToRun) return std::nullopt;
  std::optional<OrderIndex> sessions;
  if (level.order == Order::None)
    sessions.emplace(history, facts, Order::Session);
  const OrderIndex& by = sessions ? *sessions : order;
  const bool by_snapshots = level.base != Base::Serializable;
  // Without times a long one drifts apart further than a run can tell.
  if (!has_times(history) && history.size() > kMostToRunUntimed)
    return by_guessed_times(history, facts, by, level, budget);
  if (auto run = find_serial_run(history, facts, by, by_snapshots, budget))
    return Verdict{level, *std::move(run)};
  return by_guessed_times(history, facts, by, level, budget);
}

constexpr std::uint64_t kFewConflicts = 1000;
// Possible writers of open reads, per transaction, from which on a run is tried
// before a search.  Most histories of real databases have less than 2, and
// `generate --keys 1000 --values 10` 5 with 2,000 transactions, 20 with 10,000.
constexpr std::size_t kMuchToChoose = 3;

std::size_t candidate_count(const History& history, const Facts& facts) {
  std::size_t count = 0;
  for (std::uint32_t i = 1; i < history.size(); ++i)
    for (const Facts::Read& read : facts.reads(TxnId(i)))
      if (read.writer == kNone<TxnId>)
        count += facts.candidates(read.op).size();
  return count;
}

// Who wrote what was read is open.  A search is cheap where most of it follows,
// as in histories of real databases; where much is left to choose, a run of the
// whole is.  So each gets a try, the search a short one, before the search may
// take as long as it needs.
Verdict check_open_questions(const History& history, const Facts& facts,
                             const OrderIndex& order, Level level,
                             const Budget& budget) {
  const auto run = [&] {
    return by_running(history, facts, order, level, budget);
  };
  const auto stronger = [&] {
    return by_stronger_level(history, facts, order, level, budget);
  };
  const bool runs_first =
      has_times(history) ||
      candidate_count(history, facts) > kMuchToChoose * history.size();
  if (runs_first)
    if (auto verdict = run()) return *std::move(verdict);
  if (auto verdict = stronger()) return *std::move(verdict);
  Refinement search(history, facts, order, level, budget);
  const std::uint64_t some = kFewConflicts + history.size();
  if (auto verdict = search.run_for(some)) return *std::move(verdict);
  if (!runs_first)
    if (auto verdict = run()) return *std::move(verdict);
  return search.go_on();
}

}  // namespace

Verdict check_by_search(const History& history, const Facts& facts,
                        const OrderIndex& order, Level level,
                        const Budget& budget) {
  if (facts.is_open())
    return check_open_questions(history, facts, order, level, budget);
  if (auto verdict = by_stronger_level(history, facts, order, level, budget))
    return *std::move(verdict);
  return Refinement(history, facts, order, level, budget).run();
}

}  // namespace txscope::check
