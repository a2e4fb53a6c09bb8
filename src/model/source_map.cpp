#include "model/source_map.h"

#include <algorithm>
#include <iterator>

namespace txscope {

const SourceMap::Piece& SourceMap::piece_at(std::size_t offset) const {
  const auto next = std::upper_bound(
      pieces.begin(), pieces.end(), offset,
      [](std::size_t at, const Piece& piece) { return at < piece.from; });
  return next == pieces.begin() ? pieces.front() : *std::prev(next);
}

}  // namespace txscope
