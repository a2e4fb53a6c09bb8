#pragma once

#include <cstdint>
#include <vector>

#include "model/history.h"

namespace txscope::check {

/// When each transaction probably started and committed, as far as the input
/// tells: by the recorded times, or else by the lines, or else by the numbers
/// that were written, if they grow along every session, or else by how far its
/// session is.
class Clock {
 public:
  explicit Clock(const History& history);

  /// True if times or lines were recorded.
  [[nodiscard]] bool is_recorded() const { return has_times_ || has_lines_; }
  /// The same, without a look at the numbers.
  [[nodiscard]] static bool is_recorded(const History& history);
  [[nodiscard]] std::int64_t of(TxnId t, bool is_commit) const;

 private:
  void find_records();
  void find_numbers();
  struct RecordsOnly {};
  Clock(const History& history, RecordsOnly) : history_(history) {
    find_records();
  }

  const History& history_;
  bool has_times_ = true;
  bool has_lines_ = false;
  std::vector<std::int64_t>
      numbers_;  // by transaction; none if they are no use
};

}  // namespace txscope::check
