#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "exec/sql/query/halt.h"
#include "model/sql/expr.h"

namespace txscope::sql {

struct ValueHash {
  std::size_t operator()(const Value& value) const { return value.hash(); }
};
struct RowHash {
  std::size_t operator()(const Row& row) const {
    std::uint64_t h = row.size();
    for (const Value& value : row)
      h = (h ^ value.hash()) * 0x9e3779b97f4a7c15ull;
    return h;
  }
};

/// An aggregate of one group, row by row.
class Accumulator {
 public:
  /// `value` is that of the argument; of any kind for count(*).
  void add(const Aggregate& aggregate, const Value& value, Halt& halt);
  [[nodiscard]] Value result(const Aggregate& aggregate, Halt& halt) const;

 private:
  std::int64_t count_ = 0;
  Value value_;  ///< sum, minimum, maximum, conjunction so far
  std::unordered_set<Value, ValueHash> seen_;  ///< of DISTINCT
  std::vector<Value> items_;                   ///< of those that collect
};

}  // namespace txscope::sql
