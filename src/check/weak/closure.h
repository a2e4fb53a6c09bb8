#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/graph.h"
#include "check/facts/facts.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {

/// Which transactions reach which by reads-from alone, and what causal forces
/// because of it: for order none, where sessions are no chains and vector
/// clocks would have an entry per transaction.
///
/// Bit sets of a few hundred sources at a time, passed along a topological
/// order from the first of them on; quadratic, with a small constant.  (With
/// as many chains as transactions nothing much better can be hoped for:
/// Møldrup and Pavlogiannis, PLDI 2025, have the lower bounds.)
class Closure {
 public:
  /// `sorted` is a topological order of reads-from.  With `components` only
  /// edges within one component are wanted.
  Closure(const History& history, const Facts& facts,
          const Components* components, const std::vector<Node>& sorted);

  /// Adds the forced edges that leave `sources`, all of them unless one is a
  /// contradiction by itself.  False if the budget ended.
  bool run(std::vector<TxnId> sources, std::vector<Forced>& forced,
           const Budget& budget);

 private:
  static constexpr std::size_t kWords = 8;
  static constexpr std::size_t kBits = 64 * kWords;
  static constexpr std::uint32_t kNothing = 0xffffffffu;
  using Bits = std::array<std::uint64_t, kWords>;

  static void set(Bits& bits, std::size_t i) {
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  static bool has(const Bits& bits, std::size_t i) {
    return bits[i / 64] >> (i % 64) & 1;
  }

  bool run_block(std::vector<Forced>& forced, const Budget& budget);
  void begin_block();
  Bits& past(TxnId t) { return past_[position_[t.index]]; }
  void pass(TxnId t3, std::vector<Forced>& forced);
  void force(TxnId t2, const Facts::Read& read, std::vector<Forced>& forced);

  const Facts& facts_;
  const Components* components_;  // null: all together
  const std::vector<Node>& sorted_;
  std::span<const TxnId> block_;
  std::vector<Bits> rows_;               // the writers of each key in the block
  std::vector<std::uint32_t> row_of_;    // by key
  std::vector<std::uint32_t> place_of_;  // by transaction, in the block
  std::vector<std::uint32_t> position_;  // by transaction, in sorted_
  std::vector<Bits> past_;  // by position; of a transaction, itself included
  bool is_contradicted_ = false;
};

}  // namespace txscope::check
