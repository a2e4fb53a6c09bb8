#pragma once

#include <cstdint>
#include <vector>

#include "tla/evaluate/evaluator.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// Fingerprints of states up to the permutations of model values that the
/// configuration declares under SYMMETRY.
///
/// Method.  The hash of a value is built from the hashes of its parts without
/// regard to their order, so the hash of a permuted value follows from the
/// permuted hashes of its parts.  Each value keeps its hash under every element
/// of the group; a state's fingerprint is the least over the group of the sums
/// of its variables' hashes.  No permuted state is ever built.
class Symmetry {
 public:
  /// `generators` are sets of functions on model values; the group that they
  /// generate is used.  Throws Fault.
  Symmetry(Evaluator& evaluator, const std::vector<const Def*>& generators);

  [[nodiscard]] bool is_trivial() const { return group_.size() <= 1; }
  [[nodiscard]] std::size_t order() const { return group_.size(); }

  /// Prepares for successors of no state; holds no value afterwards.
  void forget_base();
  /// Prepares for successors of `state`.
  void set_base(const Value* state);
  /// The fingerprint of a state; cheapest where it agrees with the base.
  [[nodiscard]] std::uint64_t fingerprint(const Value* state);
  [[nodiscard]] std::uint64_t fingerprint_of_value(Value v);

 private:
  using Permutation = std::vector<std::uint32_t>;  // by index of model values
  void add_generators(Value set, const Spot& spot);
  void close();
  const std::uint64_t* images(Value v);
  void sum_images(const Node& node, std::uint64_t* out);

  Store& store_;
  std::size_t width_;
  std::vector<std::uint64_t> odd_;  // one factor for each variable
  std::vector<Permutation> group_;
  std::vector<std::uint64_t> atom_images_;  // [model value][group element]
  std::vector<Value> base_;
  std::vector<std::uint64_t> base_sums_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace txscope::tla
