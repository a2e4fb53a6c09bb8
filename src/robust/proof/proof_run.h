#pragma once

#include <cstdint>
#include <vector>

#include "model/product/profile.h"
#include "robust/proof/prover.h"
#include "robust/result.h"

namespace txscope::robust {

/// Fills in the answer of a proof: robust, or undecided with the cycles that
/// are left and the types that are safe together.
void tell_open(Prover& prover, const std::vector<OpenTriple>& open,
               const Budget& budget, RobustResult& result);

/// The question for any number of sessions and any arguments: the proof, and
/// where it leaves cycles open, small clients that may run into one.
class ProofRun {
 public:
  /// `profile`: the engine whose level it is, if it is one.
  ProofRun(const sql::Application& application, const Profile* profile,
           PivotLevel pivot, std::uint64_t loop_bound, const Budget& budget);

  /// Fills in the answer: robust, or undecided with the cycles that are left
  /// and the types that are safe together.
  [[nodiscard]] RobustResult prove(RobustResult asked);

  /// A run of a small client makes "perhaps" a "no".  Such clients have
  /// arguments and rows of their own choice, so there are none under
  /// assumptions.
  void find_client(RobustResult& result) const;

 private:
  const sql::Application& application_;
  const Profile* profile_;
  PivotLevel pivot_;
  std::uint64_t loop_bound_;
  const Budget& budget_;
  std::vector<sql::RoutineId> types_;
  std::vector<OpenTriple> open_;
};

}  // namespace txscope::robust
