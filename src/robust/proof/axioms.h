#pragma once

#include <vector>

#include "robust/proof/type_facts.h"

namespace txscope::robust {

/// What is true of any two instances: keys are unique, a row that nobody
/// inserts or deletes is there for all or for none, a column that nobody
/// updates has one value, where parents stay children have one, a sequence
/// gives different numbers, and one transaction sees one snapshot.
class Axioms {
 public:
  Axioms(Symbols& symbols, const TypeFacts& facts)
      : symbols_(symbols), terms_(symbols.terms()), facts_(facts) {}

  /// Whether a transaction's statements share one snapshot; they do at first.
  void set_one_view(bool has_one_view) { has_one_view_ = has_one_view; }

  /// `is_same`: x and y are one instance.
  void add(const Summary& x, const Summary& y, bool is_same,
           std::vector<smt::Term>& to);
  [[nodiscard]] smt::Term same_key(const Access& a, const SymbolRow& x,
                                   const SymbolRow& y);

 private:
  void add_parents(const Summary& x, const Summary& y,
                   std::vector<smt::Term>& to);
  void add_pair(const Summary& x, const Access& a, const Access& b,
                bool is_same, std::vector<smt::Term>& to);

  Symbols& symbols_;
  smt::Terms& terms_;
  const TypeFacts& facts_;
  bool has_one_view_ = true;
};

}  // namespace txscope::robust
