#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "model/history.h"
#include "report/document/document.h"

namespace txscope::report::document {

/// The transactions of a history, small: by session and time.  Without times,
/// by line; where lines say nothing, by number.
class Glance {
 public:
  Glance(const History& history, std::span<const Finding> findings);

  /// All, but for what is too much to draw.
  [[nodiscard]] Overview all() const;
  /// What ran about when a finding happened; none: that is nearly all.
  [[nodiscard]] std::optional<Overview> around(const Finding& finding) const;

 private:
  struct Range {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  void find_clock();
  [[nodiscard]] Range range(TxnId t) const;
  [[nodiscard]] Overview between(Range range, const std::string& finding) const;
  [[nodiscard]] Overview::Txn told(TxnId t) const;

  const History& history_;
  std::map<std::string, TxnId> named_;    // those of findings
  std::map<TxnId, std::string> part_of_;  // the first finding of each
  std::int64_t first_ = 0;                // of the clock
  std::uint64_t end_ = 0;
  bool has_times_ = false;
  bool has_lines_ = false;
};

}  // namespace txscope::report::document
