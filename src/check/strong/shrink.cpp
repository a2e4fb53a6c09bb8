#include <algorithm>

#include "check/strong/refinement.h"

namespace txscope {
namespace {

/// Leaves reads out of a violated history as long as it stays violated.
class Shrinker {
 public:
  Shrinker(const History& history, Level level, std::uint64_t max_conflicts,
           const Budget& budget)
      : history_(history),
        level_(level),
        max_conflicts_(max_conflicts),
        budget_(budget) {}

  ReadSet run(const Facts& facts, std::span<const TxnId> txns) {
    for (std::uint32_t i = 0; i < history_.ops().size(); ++i)
      if (history_.at(OpId(i)).is_read()) all_.insert(OpId(i));
    std::vector<std::pair<std::size_t, OpId>> reads;  // with their writers
    for (const TxnId t : txns)
      for (const Facts::Read& read : facts.reads(t))
        reads.emplace_back(
            read.writer == kNone<TxnId> ? facts.candidates(read.op).size() : 1,
            read.op);
    // Who has most writers to choose from is most welcome to go.
    std::stable_sort(
        reads.begin(), reads.end(),
        [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [writers, read] : reads) kept_.push_back(read);
    if (!is_violated(kept_)) return {};
    std::size_t step = std::max<std::size_t>(1, kept_.size() / 4);
    for (;; step = (step + 1) / 2) {
      for (std::size_t i = 0; i < kept_.size();) {
        if (budget_.spent_now()) return without(kept_);
        std::vector<OpId> fewer = kept_;
        const std::size_t count = std::min(step, fewer.size() - i);
        const auto first = fewer.begin() + static_cast<long>(i);
        fewer.erase(first, first + static_cast<long>(count));
        if (is_violated(fewer))
          kept_ = std::move(fewer);
        else
          i += count;
      }
      if (step == 1) return without(kept_);
    }
  }

 private:
  [[nodiscard]] ReadSet without(const std::vector<OpId>& kept) const {
    ReadSet ignored = all_;
    for (const OpId read : kept) ignored.erase(read);
    return ignored;
  }
  [[nodiscard]] bool is_violated(const std::vector<OpId>& kept) const {
    const ReadSet ignored = without(kept);
    const Facts facts(history_, Facts::Scope::AllReads, &ignored);
    if (!facts.bad_reads().empty()) return false;
    const OrderIndex order(history_, facts, level_.order);
    return Refinement(history_, facts, order, level_, budget_)
        .is_violated(max_conflicts_);
  }

  const History& history_;
  Level level_;
  std::uint64_t max_conflicts_;
  const Budget& budget_;
  ReadSet all_;
  std::vector<OpId> kept_;
};

}  // namespace

bool Refinement::is_violated(std::uint64_t max_conflicts) {
  const auto order = guess();
  if (budget_.spent_now()) return false;
  if (order.size() < known_.node_count()) return true;
  start_solver(order);
  return refine(max_conflicts) == Outcome::Violated;
}

std::optional<Verdict> Refinement::explain_less(std::span<const TxnId> txns) {
  constexpr std::size_t kLargest = 300;  // transactions
  if (is_shrunk_ || history_.size() > kLargest) return std::nullopt;
  const std::uint64_t conflicts =
      1000 + 2 * (solver_ ? solver_->conflicts() : 0);
  const ReadSet ignored =
      Shrinker(history_, level_, conflicts, budget_).run(facts_, txns);
  const Facts facts(history_, Facts::Scope::AllReads, &ignored);
  const OrderIndex order(history_, facts, level_.order);
  Refinement smaller(history_, facts, order, level_, budget_);
  smaller.is_shrunk_ = true;
  Verdict verdict = smaller.run();
  if (verdict.outcome() != Outcome::Violated) return std::nullopt;
  return verdict;
}

}  // namespace txscope
