#pragma once

#include <unordered_map>

#include "smt/terms.h"

namespace txscope::smt {

/// Terms with other terms in the place of some unknowns.  What was asked for
/// stays as it is when further unknowns are given.
class Substitution {
 public:
  explicit Substitution(Terms& terms) : terms_(&terms) {}

  /// `by` is not looked into again.
  void set(Term unknown, Term by) { known_.insert_or_assign(unknown.index, by); }
  [[nodiscard]] Term operator()(Term term);

 private:
  [[nodiscard]] Term rebuilt(Term term);

  Terms* terms_;
  std::unordered_map<std::uint32_t, Term> known_;
};

}  // namespace txscope::smt
