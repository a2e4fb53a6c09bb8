#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/rows/row_totals.h"
#include "audit/rows/row_versions.h"
#include "model/history.h"

namespace txscope::audit {

/// An answer that nothing in the log explains, at any level from read
/// committed on.
struct Impossible {
  std::uint32_t txn = 0;
  std::size_t statement = 0;
  std::string why;
  std::string expected;
  /// More that it cannot be explained together with.
  std::vector<std::uint32_t> others;
  bool has_core = true;  ///< these are enough; false: more are part of it
};

/// What a log says of single rows, whatever the order of its transactions:
/// which wrote which, and, where what was seen tells writers apart, who read
/// from whom.
///
/// Invariant.  Whatever explains the log at read committed or above has these
/// reads and writes.  So a history of them that has not a level refutes the
/// log; one that has it proves nothing, but its commit order is worth a try.
class RowHistory {
 public:
  RowHistory(const LoadedLog& log, Rule rule);

  [[nodiscard]] const std::optional<Impossible>& impossible() const {
    return impossible_;
  }
  [[nodiscard]] const RowVersions& versions() const { return rows_; }
  /// Of transactions by number in the log, with start and end where known.
  [[nodiscard]] Result<History> history(const std::string& file) const;
  /// Of a transaction those that it read from, by number in the log.
  [[nodiscard]] std::vector<std::uint32_t> read_from(std::uint32_t txn) const;

 private:
  struct Read {
    std::uint32_t row = 0;
    std::uint32_t writer = kInitialTxn;
  };

  void add_reads(const LoadedLog& log, std::uint32_t txn, Rule rule);
  void check_alone(const LoadedLog& log, std::uint32_t txn, std::size_t k,
                   Rule rule, const std::vector<bool>& is_changed);
  void read(std::uint32_t txn, std::size_t k, const RowAccess& access);
  /// Between two inserts of a key somebody has deleted it.
  void check_lives();
  void fail(std::uint32_t txn, std::size_t statement, std::string why,
            std::string expected = {}, std::vector<std::uint32_t> others = {});
  /// The rows that a transaction wrote for certain, or that somebody has read
  /// from it.
  [[nodiscard]] std::vector<std::uint32_t> written(std::uint32_t txn) const;

  const LoadedLog& log_;
  RowVersions rows_;
  std::vector<std::vector<Read>> reads_;  ///< by transaction
  std::set<std::pair<std::uint32_t, std::uint32_t>> was_read_;  ///< txn, row
  std::optional<Impossible> impossible_;
};

}  // namespace txscope::audit
