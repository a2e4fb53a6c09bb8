#include "race/reduce/footprint.h"

namespace txscope::race {
namespace {

using Access = Footprint::Access;

bool is_order_seen(Access a, Access b) {
  if (a == Access::Moves || b == Access::Moves) return a == b;
  if (a > b) return is_order_seen(b, a);
  switch (a) {
    case Access::Reads: return b == Access::Publishes;
    case Access::Locks: return true;
    case Access::Shares: return b != Access::Shares;
    case Access::Publishes:
    case Access::Unlocks:
    case Access::Moves: return false;
  }
  return true;
}

bool is_same_place(const Footprint::Touch& a, const Footprint::Touch& b) {
  if (a.object.empty() || b.object.empty()) return true;
  return a.object == b.object &&
         (a.row.empty() || b.row.empty() || a.row == b.row);
}

}  // namespace

Footprint Footprint::of_everything() {
  Footprint result;
  result.is_everything_ = true;
  return result;
}

bool Footprint::depends_on(const Footprint& other) const {
  if (is_everything_ || other.is_everything_) return true;
  for (const Touch& mine : touches_)
    for (const Touch& theirs : other.touches_)
      if (is_same_place(mine, theirs) &&
          is_order_seen(mine.access, theirs.access))
        return true;
  return false;
}

}  // namespace txscope::race
