#include "check/strong/shrink.h"

#include <algorithm>

#include "check/strong/lemma_search.h"
#include "check/strong/proof_cast.h"
#include "check/strong/refinement.h"

namespace txscope::check {
namespace {

constexpr std::size_t kLargestToShrink = 300;  // transactions
constexpr std::uint64_t kConflictsToShrink = 50'000;

// All reads but these.
ReadSet without(const History& history, const std::vector<OpId>& kept) {
  ReadSet ignored;
  for (std::uint32_t i = 0; i < history.ops().size(); ++i)
    if (history.at(OpId(i)).is_read()) ignored.insert(OpId(i));
  for (const OpId read : kept) ignored.erase(read);
  return ignored;
}

// Leaves out reads, in parts that become smaller.  `search` says which of some
// reads are enough, or nothing if they are not.
template <class Search, class IsOver>
std::vector<OpId> leave_out(std::vector<OpId> kept, Search search,
                            IsOver is_over) {
  for (std::size_t step = std::max<std::size_t>(1, kept.size() / 4);;
       step = (step + 1) / 2) {
    for (std::size_t i = 0; i < kept.size();) {
      if (is_over()) return kept;
      std::vector<OpId> fewer = kept;
      const std::size_t count = std::min(step, fewer.size() - i);
      const auto first = fewer.begin() + static_cast<long>(i);
      fewer.erase(first, first + static_cast<long>(count));
      if (auto enough = search(fewer))
        kept = *std::move(enough);
      else
        i += count;
    }
    if (step == 1) return kept;
  }
}

}  // namespace

Shrinker::Shrinker(const History& history, Level level, const Budget& budget)
    : history_(history),
      level_(level),
      budget_(budget),
      conflicts_left_(kConflictsToShrink),
      last_conflicts_(kConflictsToShrink) {}

std::optional<ReadSet> Shrinker::shrink(Refutation& lemmas) {
  if (history_.size() > kLargestToShrink) return std::nullopt;
  std::vector<OpId> kept = take_reads(lemmas);
  const auto search = [&](const std::vector<OpId>& reads) {
    auto found = refute(reads);
    if (!found) return std::optional<std::vector<OpId>>();
    lemmas = *std::move(found);
    return std::optional(take_reads(lemmas));
  };
  // What was found before may rest on more than the proof speaks of: who must
  // have committed because of others that read from him.
  auto again = search(kept);
  if (!again) return std::nullopt;
  kept = leave_out(*std::move(again), search,
                   [&] { return budget_.spent_now() || conflicts_left_ == 0; });
  return without(history_, kept);
}

std::vector<OpId> Shrinker::take_reads(const Refutation& lemmas) {
  ProofCast cast(history_, lemmas);
  txns_ = std::move(cast.txns);
  return std::move(cast.reads);
}

std::optional<Refutation> Shrinker::refute(const std::vector<OpId>& kept) {
  const ReadSet ignored = without(history_, kept);
  const Facts facts(history_, Facts::Scope::AllReads, &ignored);
  if (!facts.bad_reads().empty()) return std::nullopt;
  const OrderIndex order(history_, facts, level_.order);
  std::vector<TxnId> txns;
  for (const TxnId t : txns_)
    if (facts.part(t) != Facts::Part::Out) txns.push_back(t);
  const Excerpt excerpt(history_, facts, order, level_, std::move(txns));
  LemmaSearch search(excerpt, budget_);
  search.limit_conflicts(std::min(conflicts_left_, 100 + 2 * last_conflicts_));
  auto found = search.run();
  conflicts_left_ -= std::min(conflicts_left_, search.conflicts());
  if (found) last_conflicts_ = search.conflicts();
  return found;
}

bool Refinement::is_violated(std::uint64_t max_conflicts) {
  const auto order = guess();
  if (budget_.spent_now()) return false;
  if (order.size() < known_.node_count()) return true;
  start_solver(order);
  return refine(max_conflicts) == Outcome::Violated;
}

std::optional<Verdict> Refinement::explain_less(std::span<const TxnId> txns) {
  if (is_shrunk_ || history_.size() > kLargestToShrink) return std::nullopt;
  const std::uint64_t conflicts =
      1000 + 2 * (solver_ ? solver_->conflicts() : 0);
  std::vector<OpId> kept;
  for (const TxnId t : txns)
    for (const Facts::Read& read : facts_.reads(t)) kept.push_back(read.op);
  const auto search = [&](const std::vector<OpId>& reads) {
    const ReadSet ignored = without(history_, reads);
    const Facts facts(history_, Facts::Scope::AllReads, &ignored);
    const OrderIndex order(history_, facts, level_.order);
    const bool is_enough = facts.bad_reads().empty() &&
                           Refinement(history_, facts, order, level_, budget_)
                               .is_violated(conflicts);
    return is_enough ? std::optional(reads) : std::nullopt;
  };
  if (!search(kept)) return std::nullopt;
  const ReadSet ignored = without(
      history_,
      leave_out(std::move(kept), search, [&] { return budget_.spent_now(); }));
  const Facts facts(history_, Facts::Scope::AllReads, &ignored);
  const OrderIndex order(history_, facts, level_.order);
  Refinement smaller(history_, facts, order, level_, budget_);
  smaller.is_shrunk_ = true;
  Verdict verdict = smaller.run();
  if (verdict.outcome() != Outcome::Violated) return std::nullopt;
  return verdict;
}

}  // namespace txscope::check
