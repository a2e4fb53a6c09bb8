#include "db/proxy/tap.h"

namespace txscope::db {

std::size_t cost_of(const std::vector<Cell>& cells) {
  std::size_t bytes = 64;
  for (const Cell& cell : cells) bytes += 40 + (cell ? cell->size() : 0);
  return bytes;
}

}  // namespace txscope::db
