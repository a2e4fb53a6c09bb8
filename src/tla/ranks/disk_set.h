#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tla/ranks/outbox.h"
#include "tla/ranks/sorted_run.h"
#include "tla/search/fingerprint_set.h"

namespace txscope::tla::ranks {

/// The states that a rank has seen, as far as they do not fit into memory.
///
/// Source.  Delayed detection of duplicates: Stern and Dill, "Using magnetic
/// disk instead of main memory in the Murphi verifier" (CAV 1998); runs of
/// several sizes that are merged: O'Neil et al. 1996 (LSM-tree).
/// Method.  Recent states are in a FingerprintSet.  When that is full, it is
/// written as a sorted run and cleared.  From then on a state that is not in it
/// waits until there are many, or the level ends; then all are looked up in
/// those runs whose filters they pass, in one pass.  Eight runs of a size
/// become one. Invariant.  Of all links of a state, here and there, the
/// first_of() counts.
class DiskSet {
 public:
  struct Limits {
    std::size_t recent = 0;          ///< states in memory
    std::size_t waiting = 0;         ///< states that wait for an answer
    std::uint64_t filter_bytes = 0;  ///< of the filters of all runs, about
  };
  /// Told of every state that turns out to be new, with its row.
  using Accept =
      std::function<void(const SentState&, std::span<const Value> row)>;

  DiskSet(FingerprintSet& recent, std::string directory, Limits limits,
          std::size_t width, Accept accept);

  /// A state that was reached on `level`; no row: it is known to be known.
  /// Throws Trouble, as resolve() does.
  void offer(const SentState& state, std::uint32_t level,
             std::span<const Value> row);
  /// Nothing waits any more.
  void resolve();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::optional<FingerprintSet::Known> find(
      std::uint64_t prefix) const;
  /// Every state once.
  void for_each(
      const std::function<void(std::uint64_t, std::uint64_t)>& visit) const;
  /// A state of an earlier run of the program.
  void restore(std::uint64_t fingerprint, std::uint64_t link);
  /// States that were put into the recent ones by others.
  void count_recent() { size_ = recent_.size(); }

 private:
  struct Waiting {
    SentState state;
    std::uint64_t link = 0;
    bool has_row = false;
    std::uint64_t known_link = 0;  ///< 0: not in any run
  };
  using Runs = std::vector<std::unique_ptr<SortedRun>>;
  [[nodiscard]] std::unique_ptr<SortedRun> new_run(std::uint64_t entries) const;
  void spill();
  void add_run(std::unique_ptr<SortedRun> run, std::size_t tier);
  [[nodiscard]] std::vector<SortedRun::Entry> sorted_recent() const;
  void look_up(std::vector<Waiting*>& sorted);

  FingerprintSet& recent_;
  std::string directory_;
  Limits limits_;
  std::size_t width_;
  Accept accept_;
  std::vector<Runs> tiers_;
  std::vector<Waiting> waiting_;
  std::vector<Value> rows_;
  std::unordered_map<std::uint64_t, std::size_t> where_;  // in waiting_
  std::vector<std::uint64_t> old_;  // of earlier levels, looked up lately
  std::uint64_t size_ = 0;
};

}  // namespace txscope::tla::ranks
