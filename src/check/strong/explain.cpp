#include <algorithm>

#include "check/strong/forced_reasons.h"
#include "check/strong/lemma_search.h"
#include "check/strong/plain_cycle.h"
#include "check/strong/proof_cast.h"
#include "check/strong/refinement.h"
#include "check/strong/refuter.h"
#include "check/strong/shrink.h"
#include "check/strong/stuck_nodes.h"

namespace txscope::check {
namespace {

constexpr std::size_t kMaxCases = 200000;
constexpr std::size_t kFewCases = 50;
constexpr std::size_t kFewTxns = 12;
constexpr std::size_t kLongCycle = 300;  // nodes
constexpr std::size_t kMostTxnsOfATree = 60;
constexpr std::size_t kManyTxns = 3000;  // pairs of them are looked at

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
  // A tree reads best, but each of its steps costs more than a whole search
  // where many transactions take part and something is open.
  if (vars.empty() || txns.size() <= kFewTxns)
    if (auto refutation = refute(excerpt, kFewCases, budget_))
      return {level_, *std::move(refutation)};
  if (txns.size() <= kManyTxns)
    if (auto lemmas = LemmaSearch(excerpt, budget_).run())
      return explain_by_lemmas(*std::move(lemmas));
  if (facts_.is_open())
    if (auto verdict = explain_less(txns)) return *std::move(verdict);
  if (auto refutation = refute(excerpt, kMaxCases, budget_))
    return {level_, *std::move(refutation)};
  // Violated, but it cannot be shown: what cannot be shown is not claimed.
  const bool is_budget = budget_.reason() != Spent::Nothing;
  return {level_, is_budget ? budget_.reason() : Spent::Proof};
}

// Tells it in the form that reads best.
Verdict Refinement::explain_by_lemmas(Refutation lemmas) const {
  const auto tell = [&](const Facts& facts, const OrderIndex& order) {
    const ProofCast cast(history_, lemmas);
    if (lemmas.cases.size() > kFewCases || cast.txns.size() > kMostTxnsOfATree)
      return Verdict{level_, lemmas};
    Excerpt excerpt(history_, facts, order, level_, cast.txns);
    excerpt.reads = cast.reads;
    excerpt.pairs = cast.pairs;
    auto tree = refute(excerpt, kFewCases, budget_.share(2));
    return Verdict{level_, tree ? *std::move(tree) : lemmas};
  };
  if (!facts_.is_open()) return tell(facts_, order_);
  const auto ignored =
      Shrinker(history_, level_, budget_.share(3)).shrink(lemmas);
  if (!ignored) return tell(facts_, order_);
  const Facts facts(history_, Facts::Scope::AllReads, &*ignored);
  return tell(facts, OrderIndex(history_, facts, level_.order));
}

}  // namespace txscope::check
