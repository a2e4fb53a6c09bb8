#include "check/strong/refinement.h"

#include <algorithm>
#include <cassert>

#include "check/engines.h"
#include "check/strong/schedule.h"

namespace txscope {

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
  const auto order = schedule(history_, facts_, known_);
  if (order.size() < known_.node_count()) return violated_by_known(order);
  start_solver(order);
  for (;;) {
    switch (solver_->solve(budget_)) {
      case sat::Answer::Unknown: return {level_, budget_.reason()};
      case sat::Answer::Unsatisfiable: return violated();
      case sat::Answer::Satisfiable: break;
    }
    if (budget_.spent_now()) return {level_, budget_.reason()};
    walk();
    if (findings_.empty()) return holds();
    const std::size_t stated = stated_;
    for (const Finding& finding : findings_) state(finding);
    assert(stated_ > stated && "what was stated cannot go wrong again");
    (void)stated;
  }
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

Verdict check_strong(const History& history, const Facts& facts,
                     const OrderIndex& order, Level level,
                     const Budget& budget) {
  return Refinement(history, facts, order, level, budget).run();
}

Verdict check_by_search(const History& history, const Facts& facts,
                        const OrderIndex& order, Level level,
                        const Budget& budget) {
  return Refinement(history, facts, order, level, budget).run();
}

}  // namespace txscope
