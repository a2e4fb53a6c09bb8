#include "check/strong/proof_cast.h"

namespace txscope::check {

ProofCast::ProofCast(const History& history, const Refutation& refutation) {
  for (const Case& c : refutation.cases) {
    for (const Assumption& assumption : c.assume) add(history, assumption);
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      for (const Edge& edge : *cycle) {
        txns.push_back(edge.from);
        add(history, edge.read);
      }
    } else if (const auto* bad = std::get_if<BadRead>(&c.contradiction)) {
      add(history, bad->read);
    }
  }
  for (const Lemma& lemma : refutation.lemmas)
    for (const Literal& literal : lemma) add(history, literal.atom);
  sort_and_unique(txns);
  std::erase(txns, History::kInitial);
  sort_and_unique(reads);
  sort_and_unique(pairs);
}

void ProofCast::add(const History& history, OpId read) {
  if (read == kNone<OpId>) return;
  reads.push_back(read);
  txns.push_back(history.txn_of(read));
}

void ProofCast::add(const History& history, const Assumption& assumption) {
  txns.push_back(assumption.a);
  if (assumption.kind == Assumption::Kind::Writer) add(history, assumption.op);
  if (assumption.kind != Assumption::Kind::Before) return;
  txns.push_back(assumption.b);
  pairs.push_back(std::minmax(assumption.a, assumption.b));
}

}  // namespace txscope::check
