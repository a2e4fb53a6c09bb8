#include "audit/search/follow.h"

#include <utility>
#include <vector>

#include "audit/pass/replay.h"
#include "base/graph.h"

namespace txscope::audit {

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

std::optional<Found> follow_serially(const LoadedLog& log,
                                     const AuditLevel& level,
                                     const Budget& budget) {
  AuditLevel serial = level;
  serial.rule = Rule::Serializable;
  auto found = follow(log, serial, {}, budget);
  if (!found || !is_by_statement(level.rule)) return found;
  for (Placed& placed : found->order)
    placed.seen.assign(log.whole().txns[placed.txn].statements.size(),
                       placed.snapshot);
  return found;
}

std::optional<Found> follow_times(const LoadedLog& log, const AuditLevel& level,
                                  const WantedRows& wanted,
                                  const TimedSearch& search,
                                  const Budget& budget) {
  NextIds ids = log.new_ids();
  auto order = order_by_times(log.whole(), log.initial(), level, ids, budget,
                              wanted, search);
  if (!order) return std::nullopt;
  Found found;
  found.answer = Outcome::Holds;
  found.order = std::move(*order);
  found.given = given_ids(log.whole().txns, ids);
  return found;
}

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

}  // namespace txscope::audit
