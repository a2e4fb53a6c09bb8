#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "smt/terms.h"

namespace txscope::smt {

/// Values of unknowns, and with them of every term.  Evaluates by itself, so
/// that what a solver says can be compared with what its model means.
class Model {
 public:
  explicit Model(const Terms& terms) : terms_(&terms) {}

  void set(Term variable, std::int64_t value) {
    given_[variable.index] = value;
  }
  /// Unknowns that were not given are 0, or the nearest to it that they can be.
  [[nodiscard]] std::int64_t integer(Term t) const;
  [[nodiscard]] bool truth(Term t) const { return integer(t) != 0; }

 private:
  [[nodiscard]] Wide evaluate(Term t) const;
  [[nodiscard]] Wide compute(Term t) const;
  [[nodiscard]] bool is_known(Term t) const {
    return t.index < known_.size() && known_[t.index];
  }

  const Terms* terms_;
  std::unordered_map<std::uint32_t, std::int64_t> given_;
  mutable std::vector<bool> known_;
  mutable std::vector<Wide> values_;
};

}  // namespace txscope::smt
