#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "model/history.h"

namespace txscope {

/// A history that can still be changed: what random generation and shrinking
/// work on.  Keys and values are small integers; negative keys are lists.
struct Sketch {
  struct Op {
    OpKind kind = OpKind::Read;
    int key = 0;
    std::int64_t value = 0;
    std::vector<std::int64_t> elements;  ///< of a ReadList
  };
  struct Txn {
    Status status = Status::Committed;
    std::int64_t start = txscope::Txn::kNoTime;
    std::int64_t end = txscope::Txn::kNoTime;
    std::vector<Op> ops;
  };

  std::vector<std::vector<Txn>> sessions;
  /// Registers that do not start as 0; nothing: no value at all.
  std::map<int, std::optional<std::int64_t>> initial;
  bool judge_aborted = false;

  [[nodiscard]] History build() const;
  [[nodiscard]] std::size_t size() const;  ///< transactions
};

/// Of any history; atoms that are no small integers get numbers.
[[nodiscard]] Sketch sketch_of(const History& history);

/// The smallest history that can be reached from `sketch`, for which `fails`
/// is true, by removing sessions, transactions, operations, list elements,
/// times and initial values and by making values and statuses plainer.  It has
/// to be true of `sketch` itself.
[[nodiscard]] Sketch shrink(Sketch sketch,
                            const std::function<bool(const History&)>& fails);

}  // namespace txscope
