#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"
#include "tla/value/marked_node.h"

namespace txscope::tla {

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
      if (!part.places[at].has(hash)) continue;
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
  using Place = MarkedNode;  // with the high bits of its hash
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
