#pragma once

#include <map>
#include <utility>

#include "race/reduce/catalog.h"
#include "race/reduce/tree.h"
#include "race/run/schedule.h"

namespace txscope::race {

/// Says of each event of a run, in order, what it touched.
///
/// A statement locks what it writes until its transaction ends; the end
/// publishes that.  A statement that waited goes on within the event that frees
/// it, so what it touches is touched by that event, too.  A transaction at
/// repeatable read fixes what it sees at its first statement, which therefore
/// depends on every commit; at serializable every step depends on every other.
class FootprintReader {
 public:
  /// None: every event depends on every other.
  explicit FootprintReader(const Catalog* catalog) : catalog_(catalog) {}

  [[nodiscard]] Step read(const Event& event);

 private:
  struct Open {
    Footprint held;     ///< by the transaction
    Footprint pending;  ///< of a statement that waits
    bool is_waiting = false;
    bool has_snapshot = false;
    bool keeps_lock = false;  ///< beyond the transaction
  };
  using Key = std::pair<std::size_t, std::size_t>;

  void read_statements(const Event& event, Isolation isolation, Open& lane,
                       Footprint& footprint) const;
  static void settle(const Event& event, const LaneStatus& status, Open& lane,
                     Footprint& footprint);

  const Catalog* catalog_;
  std::map<Key, Open> lanes_;
};

}  // namespace txscope::race
