#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generate/store.h"

namespace txscope::generate {

/// A simulated database at read-uncommitted: one copy, writes in place, reads
/// that take whatever is there: uncommitted, later rolled back, overwritten by
/// the same transaction a moment later.  Only dirty writes are excluded: a
/// transaction locks all the keys it will write when it begins, and waits as
/// long as one is taken.
///
/// Elements that will be rolled back are not shown in lists: a read of one
/// would contradict every level, as it is a prefix of no version order.
class DirtyStore : public Store {
 public:
  StepEnd step(RunningTxn& txn, std::int64_t now) override;
  [[nodiscard]] std::span<const std::int64_t> list(
      std::uint32_t key) const override {
    return lists_[key];
  }

 private:
  bool take_locks(const RunningTxn& txn);
  void run(RunningTxn& txn, std::size_t op);
  void end(RunningTxn& txn);
  void add_key(std::uint32_t key);

  std::vector<std::int64_t> value_;    // registers
  std::vector<std::int64_t> settled_;  // their value before the lock
  std::vector<std::uint32_t> owner_;   // session + 1 that locked it, or 0
  std::vector<std::vector<std::int64_t>> lists_;
};

}  // namespace txscope::generate
