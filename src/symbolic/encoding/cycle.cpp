#include "symbolic/encoding/encoding.h"

namespace txscope::symbolic {

using smt::Term;

/// t comes after `on` in every serial order that gives the same.
Term HistoryEncoding::depends(std::size_t on, std::size_t t) {
  const Term both = t_.all_of({runs_[on], runs_[t]});
  if (is_session_before(on, t)) return both;
  std::vector<Term> any = {t_.all_of({both, reads_from(t, on)}),
                           t_.all_of({conflict(on, t), precedes_[on][t]})};
  for (std::size_t r = 0; r < txns_[on].reads.size(); ++r) {
    for (const auto& place : txns_[on].reads[r].places) {
      const Version* later = version(t, place.key);
      if (later == nullptr) continue;
      for (const Source& s : sources_[on][r]) {
        if (s.txn == t) continue;
        any.push_back(t_.all_of({runs_[on], place.guard, s.chosen, later->guard,
                                 precedes_[s.txn][t]}));
      }
    }
  }
  return t_.any_of(any);
}

/// A finite graph has a cycle iff some nodes each have a successor among them.
Term HistoryEncoding::has_cycle() {
  std::vector<Term> chosen(size(), t_.boolean(false));
  for (std::size_t t = 1; t < size(); ++t) {
    chosen[t] = t_.unknown("in cycle " + std::to_string(t));
  }
  std::vector<Term> all = {t_.any_of(chosen)};
  for (std::size_t t = 1; t < size(); ++t) {
    std::vector<Term> next;
    for (std::size_t u = 1; u < size(); ++u) {
      if (u == t) continue;
      next.push_back(t_.all_of({chosen[u], depends(t, u)}));
    }
    all.push_back(t_.implies(chosen[t], t_.any_of(next)));
  }
  return t_.all_of(all);
}

}  // namespace txscope::symbolic
