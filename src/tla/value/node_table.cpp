#include "tla/value/node_table.h"

#include <utility>

#include "tla/value/value.h"

namespace txscope::tla {

NodeTable::NodeTable() : parts_(std::size_t{1} << kPartBits) {
  constexpr std::size_t kFirst = 256;
  for (Part& part : parts_) part.places = Places(kFirst);
}

void NodeTable::insert(const Node* node) {
  Part& part = parts_[part_of(node->hash)];
  put(part.places, node);
  if (++part.count * 2 > part.places.size()) grow(part);
}

std::size_t NodeTable::size() const {
  std::size_t sum = 0;
  for (const Part& part : parts_) sum += part.count;
  return sum;
}

void NodeTable::put(Places& places, const Node* node) {
  const std::size_t mask = places.size() - 1;
  std::size_t at = node->hash & mask;
  while (!places[at].is_empty()) at = (at + 1) & mask;
  places[at] = Place(node, node->hash);
}

void NodeTable::grow(Part& part) {
  Places larger(part.places.size() * 2);
  for (const Place& place : part.places)
    if (!place.is_empty()) put(larger, place.node());
  part.places = std::move(larger);
}

}  // namespace txscope::tla
