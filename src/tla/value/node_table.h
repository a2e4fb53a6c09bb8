#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"

namespace txscope::tla {

struct Node;

/// The nodes of a Store by their hashes.  In parts that grow one after the
/// other: a growth takes a sixteenth of what the whole would take, so that a
/// look at the memory between two of them comes in time.
class NodeTable {
 public:
  NodeTable();

  /// The node with this hash that `is_it` accepts, or nullptr.
  template <class IsIt>
  [[nodiscard]] const Node* find(std::uint64_t hash, const IsIt& is_it) const {
    const Part& part = parts_[part_of(hash)];
    const std::size_t mask = part.places.size() - 1;
    for (std::size_t at = hash & mask; !part.places[at].is_empty();
         at = (at + 1) & mask) {
      if (!part.places[at].may_have(hash)) continue;
      const Node* node = part.places[at].node();
      if (is_it(*node)) return node;
    }
    return nullptr;
  }

  /// Puts in a node that is not there.
  void insert(const Node* node);

  /// Leaves the nodes that `is_kept` accepts.
  template <class IsKept>
  void keep(const IsKept& is_kept) {
    for (Part& part : parts_) {
      Places kept(part.places.size());
      part.count = 0;
      for (const Place& place : part.places) {
        if (place.is_empty() || !is_kept(place.node())) continue;
        put(kept, place.node());
        ++part.count;
      }
      part.places = std::move(kept);
    }
  }

  [[nodiscard]] std::size_t size() const;

 private:
  /// A node, and high bits of its hash instead of the 16 that an address has no
  /// use for; so most other nodes need not be looked at.
  class Place {
   public:
    Place() = default;
    explicit Place(const Node* node);
    [[nodiscard]] bool is_empty() const { return word_ == 0; }
    [[nodiscard]] bool may_have(std::uint64_t hash) const {
      return (word_ & kMark) == (hash & kMark);
    }
    [[nodiscard]] const Node* node() const {
      return reinterpret_cast<const Node*>(word_ & ~kMark);
    }

   private:
    static constexpr std::uint64_t kMark = ~std::uint64_t{0} << 48u;
    std::uint64_t word_ = 0;
  };
  using Places = std::vector<Place, HugePages<Place>>;
  struct Part {
    Places places;
    std::size_t count = 0;
  };

  /// By bits that neither a place nor its mark uses.
  static constexpr unsigned kPartBits = 4;
  static std::size_t part_of(std::uint64_t hash) {
    return hash >> (48u - kPartBits) & ((1u << kPartBits) - 1);
  }
  static void put(Places& places, const Node* node);
  static void grow(Part& part);

  std::vector<Part> parts_;
};

}  // namespace txscope::tla
