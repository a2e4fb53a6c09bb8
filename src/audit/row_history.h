#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/load.h"
#include "audit/row_access.h"
#include "model/history.h"

namespace txscope::audit {

/// An answer that nothing in the log explains, at any level from read
/// committed on.
struct Impossible {
  std::uint32_t txn = 0;
  std::size_t statement = 0;
  std::string why;
  std::string expected;
};

/// What a log says of single rows, whatever the order of its transactions:
/// which wrote which, and, where what was seen tells versions apart, who read
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
  /// Of transactions by number in the log.  `times`: with start and end.
  [[nodiscard]] Result<History> history(const std::string& file,
                                        bool times) const;
  /// The transactions in the order in which history() has them.
  [[nodiscard]] std::uint64_t identified() const { return identified_; }

 private:
  /// A version that a transaction made of a row; `columns` as far as known.
  struct Version {
    std::uint32_t txn = 0;  ///< kInitial: the setup's
    bool is_deleted = false;
    bool is_aborted = false;
    bool is_last = true;  ///< the transaction's last of this row
    std::vector<Change> columns;
  };
  struct RowInfo {
    TableId table;
    sql::Row key;
    std::vector<Version> versions;
    /// Per column the least and the most that it can be; none: anything.
    std::vector<std::optional<std::pair<sql::Int128, sql::Int128>>> range;
  };
  struct Operation {
    std::uint32_t row = 0;
    bool is_write = false;
    std::uint32_t version = 0;  ///< written, or read
  };
  /// Statements that write rows which are not known.
  struct Wild {
    std::uint32_t txn = 0;
    bool is_aborted = false;
    RowAccess access;
  };

  static constexpr std::uint32_t kInitialTxn = 0xffffffffu;

  std::uint32_t row_of(TableId table, const sql::Row& key);
  void add_initial(const Tables& tables);
  void add_writes(const LoadedLog& log);
  void find_ranges(const LoadedLog& log);
  void add_reads(const LoadedLog& log, Rule rule);
  bool read(std::uint32_t txn, std::size_t statement, const RowAccess& access,
            const std::vector<std::uint32_t>& own);
  [[nodiscard]] bool fits(const RowInfo& row, const Version& version,
                          const RowAccess& access) const;
  [[nodiscard]] bool fits_wild(const RowInfo& row, const Wild& wild,
                               const RowAccess& access) const;
  void check_totals(const LoadedLog& log, Rule rule);
  void fail(std::uint32_t txn, std::size_t statement, std::string why,
            std::string expected = {});

  const LoadedLog& log_;
  std::vector<RowInfo> rows_;
  std::vector<std::map<sql::Row, std::uint32_t, KeyLess>> numbers_;
  KnownKeys known_keys_;
  std::vector<std::vector<Wild>> wild_;  ///< by table
  std::vector<bool> has_deletes_;        ///< by table
  std::vector<bool> has_inserts_;
  /// By transaction and statement.
  std::vector<std::vector<std::vector<RowAccess>>> accesses_;
  std::vector<std::vector<Operation>> operations_;  ///< by transaction
  std::optional<Impossible> impossible_;
  std::uint64_t identified_ = 0;
};

}  // namespace txscope::audit
