#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tla/value/value.h"

namespace txscope::tla {

/// The elements of SUBSET S, [S -> T], [f : S] or S \X T one by one, in
/// ascending order, while S and T are at hand and the set itself is not built.
///
/// Subsets come by size and then in the order of their elements, functions in
/// the order of their values: the order of compare(), so that what is gathered
/// from a walk is sorted.
class SetWalk {
 public:
  /// Subsets of `base`; with `size` only those of so many elements.
  SetWalk(Store& store, const Node& base,
          std::optional<std::uint32_t> size = std::nullopt);
  /// One element of each choice, as a tuple or a function on `domain`.
  SetWalk(Store& store, std::vector<const Node*> choices, Value domain);

  /// The next element, or none.
  [[nodiscard]] Value next();

 private:
  [[nodiscard]] Value next_subset();
  [[nodiscard]] Value next_product();

  Store& store_;
  const Node* base_ = nullptr;  // of subsets
  std::uint32_t last_size_ = 0;
  std::vector<const Node*> choices_;
  Value domain_;
  std::vector<std::uint32_t> at_;  // index of each chosen element
  std::vector<Value> items_;
  bool is_started_ = false;
  bool is_over_ = false;
};

}  // namespace txscope::tla
