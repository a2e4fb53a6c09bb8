#pragma once

#include <cstddef>
#include <set>

#include "audit/tables/view.h"

namespace txscope::audit {

/// The statements of a transaction without which one behind them would have
/// failed all the same are not among these: other versions for the others lead
/// to the same failure.
class Blame {
 public:
  void set_all() { is_all_ = true; }
  void add(std::size_t statement) { members_.insert(statement); }
  void add(const Blame& other) {
    is_all_ |= other.is_all_;
    members_.insert(other.members_.begin(), other.members_.end());
  }
  void remove(std::size_t statement) { members_.erase(statement); }
  [[nodiscard]] bool has(std::size_t statement) const {
    return is_all_ || members_.count(statement) != 0;
  }

 private:
  bool is_all_ = false;
  std::set<std::size_t> members_;
};

/// A statement that wrote something, of a transaction that is being tried.
struct WriterSoFar {
  std::size_t statement = 0;
  /// Whatever it sees, it writes the one row that it visits, and no column by
  /// which others find rows.
  bool is_one_row = false;
  Visited visited;
};

}  // namespace txscope::audit
