#include <algorithm>

#include "check/strong/forced_reasons.h"
#include "check/strong/plain_cycle.h"
#include "check/strong/refinement.h"
#include "check/strong/refuter.h"
#include "check/strong/stuck_nodes.h"

namespace txscope {
namespace {

constexpr std::size_t kMaxCases = 200000;
constexpr std::size_t kFewCases = 50;
constexpr std::size_t kFewTxns = 12;
constexpr std::size_t kLongCycle = 300;  // nodes

template <class Item>
void sort_and_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

// The transactions behind paths of the graph, and behind the reasons of those
// links of theirs that are forced.
std::vector<TxnId> Refinement::txns_behind(
    std::vector<std::vector<Node>> paths) const {
  ForcedReasons reasons(known_, forced_);
  std::vector<TxnId> txns;
  while (!paths.empty()) {
    const std::vector<Node> path = std::move(paths.back());
    paths.pop_back();
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (const TxnId t = known_.txn_of(path[i]); t != kNone<TxnId>)
        txns.push_back(t);
      const Node next = path[i + 1 < path.size() ? i + 1 : 0];
      auto reason = reasons.of(path[i], next);
      if (!reason.empty()) paths.push_back(std::move(reason));
    }
  }
  return txns;
}

Verdict Refinement::violated_by_known(std::span<const Node> scheduled) {
  auto cycle = StuckNodes(known_, forced_, scheduled).short_cycle();
  // An excerpt finds shorter ones, at a price that grows with their square.
  if (cycle.size() > kLongCycle)
    if (auto plain = plain_cycle(history_, facts_, order_, known_, cycle))
      return {level_, Refutation{{Case{{}, *std::move(plain)}}}};
  return explain(txns_behind({std::move(cycle)}), {});
}

Verdict Refinement::violated() {
  auto core = solver_->core();
  std::vector<TxnId> txns = txns_behind(std::move(core.paths));
  for (const sat::Var v : core.vars) {
    txns.push_back(meanings_[v].a);
    txns.push_back(meanings_[v].b);
  }
  return explain(std::move(txns), core.vars);
}

// Adds who else has to be seen: the candidates of open reads, and the writers
// of reads that somebody in the excerpt overwrites.
Verdict Refinement::explain(std::vector<TxnId> txns,
                            std::span<const sat::Var> vars) {
  sort_and_unique(txns);
  std::erase(txns, History::kInitial);
  std::vector<KeyId> written;
  for (const TxnId t : txns)
    for (const KeyId key : facts_.writes(t)) written.push_back(key);
  std::sort(written.begin(), written.end());
  std::vector<TxnId> more;
  for (const TxnId t : txns) {
    for (const Facts::Read& read : facts_.reads(t)) {
      if (read.writer == kNone<TxnId>) {
        for (const TxnId w : facts_.candidates(read.op)) more.push_back(w);
      } else if (std::binary_search(written.begin(), written.end(), read.key)) {
        more.push_back(read.writer);
      }
    }
  }
  txns.insert(txns.end(), more.begin(), more.end());
  sort_and_unique(txns);
  std::erase(txns, History::kInitial);
  Excerpt excerpt(history_, facts_, order_, level_, txns);
  for (const sat::Var v : vars) {
    const Meaning& m = meanings_[v];
    if (m.read != kNone<OpId>)
      excerpt.reads.push_back(m.read);
    else if (m.a != m.b)
      excerpt.pairs.push_back(std::minmax(m.a, m.b));
  }
  sort_and_unique(excerpt.reads);
  sort_and_unique(excerpt.pairs);
  // Each step of a refutation costs more than a search of the whole does, where
  // many transactions take part and writers are open.
  const bool is_easy = !facts_.is_open() || txns.size() <= kFewTxns;
  if (is_easy)
    if (auto refutation = refute(excerpt, kFewCases, budget_))
      return {level_, *std::move(refutation)};
  if (auto verdict = explain_less(txns)) return *std::move(verdict);
  if (auto refutation = refute(excerpt, kMaxCases, budget_))
    return {level_, *std::move(refutation)};
  // Violated, but it cannot be shown: what cannot be shown is not claimed.
  const bool is_budget = budget_.reason() != Spent::Nothing;
  return {level_, is_budget ? budget_.reason() : Spent::Proof};
}

}  // namespace txscope
