#pragma once

#include <cstdint>

namespace txscope::tla {

struct Node;

/// A node, and a mark in the 16 high bits that an address has no use for: most
/// nodes that are not the wanted one need not be looked at.
class MarkedNode {
 public:
  MarkedNode() = default;
  /// Of `mark` the 16 high bits count.
  MarkedNode(const Node* node, std::uint64_t mark)
      : word_(reinterpret_cast<std::uint64_t>(node) | (mark & kMark)) {}

  [[nodiscard]] bool is_empty() const { return word_ == 0; }
  [[nodiscard]] bool has(std::uint64_t mark) const {
    return (word_ & kMark) == (mark & kMark);
  }
  [[nodiscard]] const Node* node() const {
    return reinterpret_cast<const Node*>(word_ & ~kMark);
  }

 private:
  static constexpr std::uint64_t kMark = ~std::uint64_t{0} << 48u;
  std::uint64_t word_ = 0;
};

}  // namespace txscope::tla
