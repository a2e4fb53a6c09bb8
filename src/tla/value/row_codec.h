#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tla/value/value.h"

namespace txscope::tla {

/// Rows of settled values as bytes, for a file or for another Store: every
/// distinct string, model value, set and function once, each after its parts.
class RowWriter {
 public:
  void add(std::span<const Value> row);
  /// About how long take() will be.
  [[nodiscard]] std::size_t size() const {
    return table_.size() + rows_.size();
  }
  /// What was added since the last call.  Of a single row it depends on nothing
  /// but the row's values: equal rows have equal bytes, whoever made them.
  [[nodiscard]] std::string take();

 private:
  std::uint64_t reference(Value v);
  std::uint64_t define(Value v);

  std::string table_;
  std::string rows_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  // by bits
};

/// The values again, row after row; nothing if the bytes are no such thing.
[[nodiscard]] std::optional<std::vector<Value>> read_rows(
    std::string_view bytes, Store& store);

}  // namespace txscope::tla
