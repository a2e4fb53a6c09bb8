#pragma once

#include <optional>
#include <vector>

#include "check/strong/lemma_search.h"

namespace txscope {

/// The refutation by lemmas of a whole history, also where a tree of cases
/// would do; nothing if the level holds, or if the proof would have to speak of
/// bad reads without anything open or of open lists.
inline std::optional<Refutation> refute_by_lemmas(const History& history,
                                                  Level level) {
  const check::Facts facts(history);
  if (!facts.bad_reads().empty()) return std::nullopt;
  const check::OrderIndex order(history, facts, level.order);
  std::vector<TxnId> txns;
  for (std::size_t t = 1; t < history.size(); ++t)
    if (facts.part(TxnId(t)) != check::Facts::Part::Out)
      txns.push_back(TxnId(t));
  const check::Excerpt excerpt(history, facts, order, level, std::move(txns));
  const Budget budget = Budget::unlimited();
  return check::LemmaSearch(excerpt, budget).run();
}

}  // namespace txscope
