#pragma once

#include <vector>

#include "robust/proof/type_facts.h"

namespace txscope::robust {

/// What two summaries have in common.
enum class Bond : std::uint8_t {
  Same,      ///< they are one instance
  OneState,  ///< two instances that read one state
  None,      ///< two instances
};

/// What is true of any two instances: keys are unique, a row that nobody
/// inserts or deletes is there for all or for none, a column that nobody
/// updates has one value, where parents stay children have one, a sequence
/// gives different numbers, and who reads one state finds the same there.
class Axioms {
 public:
  Axioms(Symbols& symbols, const TypeFacts& facts)
      : symbols_(symbols), terms_(symbols.terms()), facts_(facts) {}

  /// Whether a transaction's statements share one snapshot; they do at first.
  void set_one_view(bool has_one_view) { has_one_view_ = has_one_view; }

  void add(const Summary& x, const Summary& y, Bond bond,
           std::vector<smt::Term>& to);
  [[nodiscard]] smt::Term same_key(const Access& a, const SymbolRow& x,
                                   const SymbolRow& y);

 private:
  void add_parents(const Summary& x, const Summary& y,
                   std::vector<smt::Term>& to);
  void add_pair(const Access& a, const Access& b, Bond bond,
                std::vector<smt::Term>& to);
  /// Whether the row is there, as far as each of them tells.
  [[nodiscard]] smt::Term agree(const Access& a, const Access& b);

  Symbols& symbols_;
  smt::Terms& terms_;
  const TypeFacts& facts_;
  bool has_one_view_ = true;
};

}  // namespace txscope::robust
