#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "model/evidence.h"
#include "model/history.h"

namespace txscope::check {

template <class Item>
void sort_and_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// What a proof by lemmas speaks of, ascending.
struct ProofCast {
  std::vector<TxnId> txns;  ///< without kInitial
  std::vector<OpId> reads;
  std::vector<std::pair<TxnId, TxnId>> pairs;  ///< the lesser first

  ProofCast(const History& history, const Refutation& refutation);

 private:
  void add(const History& history, OpId read);
  void add(const History& history, const Assumption& assumption);
};

}  // namespace txscope::check
