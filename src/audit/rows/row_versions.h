#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "audit/attempt/load.h"
#include "audit/rows/known_rows.h"
#include "audit/tables/version_list.h"

namespace txscope::audit {

/// Whether an access writes rows that are not known.
[[nodiscard]] bool is_wild(RowAccess::Kind kind);
/// Whether it writes one that is.
[[nodiscard]] bool is_write(RowAccess::Kind kind);

/// Every version of every row that the transactions of a log can have made,
/// whatever their order.
class RowVersions {
 public:
  explicit RowVersions(const LoadedLog& log);

  /// Who can have made what a read saw; no more than two are looked for.
  struct Writers {
    std::vector<std::uint32_t> txns;
    bool is_aborted = false;       ///< an aborted one made such a version
    bool is_intermediate = false;  ///< one that was overwritten by its maker
    bool is_own_later = false;     ///< the reader itself
  };
  [[nodiscard]] Writers writers(std::uint32_t row, const RowAccess& access,
                                std::uint32_t reader) const;

  /// The number of a row; one that nobody wrote gets one when it is asked for.
  std::uint32_t row_of(TableId table, const sql::Row& key);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] TableId table(std::uint32_t row) const {
    return rows_[row].table;
  }
  [[nodiscard]] const sql::Row& key(std::uint32_t row) const {
    return rows_[row].key;
  }
  [[nodiscard]] bool fits(std::uint32_t row, std::uint32_t version,
                          const RowAccess& access) const {
    return audit::fits(rows_[row].versions.at(version), access,
                       rows_[row].ranges);
  }
  [[nodiscard]] const RowVersion& version(std::uint32_t row,
                                          std::uint32_t v) const {
    return rows_[row].versions.at(v);
  }

  [[nodiscard]] std::optional<std::uint32_t> find_row(
      TableId table, const sql::Row& key) const;
  /// What the setup left of it; none: nothing.
  [[nodiscard]] const RowVersion* initial(std::uint32_t row) const;
  /// The numbers that a column of it can have; none: not known.
  [[nodiscard]] const ValueSet* range(std::uint32_t row,
                                      std::uint32_t column) const {
    const auto& ranges = rows_[row].ranges;
    return column < ranges.size() && ranges[column] ? &*ranges[column]
                                                    : nullptr;
  }
  /// How many statements may have written it of which that is not known.
  [[nodiscard]] std::uint64_t open_writes(std::uint32_t row) const {
    return rows_[row].wild.all().size() +
           tables_[rows_[row].table.index].wild.all().size();
  }

  /// What a statement did, and the versions (row, number) that the writes of a
  /// transaction made, in order.
  [[nodiscard]] const std::vector<RowAccess>& accesses(std::uint32_t txn,
                                                       std::size_t k) const {
    return accesses_[txn][k];
  }
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>&
  writes(std::uint32_t txn) const {
    return writes_[txn];
  }
  [[nodiscard]] bool has_deletes(TableId t) const {
    return tables_[t.index].has_deletes;
  }
  /// Whether two lives of a key can be seen together.  Where what is seen is
  /// one state, without writes of the transaction's own, no key is there twice.
  [[nodiscard]] bool keys_may_repeat(TableId t, Rule rule,
                                     bool is_one_state) const;
  [[nodiscard]] bool has_inserts(TableId t) const {
    return tables_[t.index].has_inserts;
  }

 private:
  struct RowInfo {
    TableId table;
    sql::Row key;
    VersionList versions;
    VersionList wild;  ///< of statements that name its key, but may miss it
    ColumnRanges ranges;
  };
  struct TableInfo {
    std::map<sql::Row, std::uint32_t, KeyLess> numbers;
    VersionList wild;  ///< of statements that may write any row
    bool has_deletes = false;
    bool has_inserts = false;
  };

  void add_initial(const Tables& tables);
  void find_rows(const LoadedLog& log);
  void add_known(const sql::Schema& schema, const RowAccess& access);
  void add_writes(const LoadedLog& log, std::uint32_t txn);
  void add_write(std::uint32_t txn, const RowAccess& access,
                 RowVersion version);
  void find_ranges(const sql::Schema& schema);

  std::vector<RowInfo> rows_;
  std::vector<TableInfo> tables_;
  KnownTables known_;
  std::vector<std::vector<std::vector<RowAccess>>> accesses_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> writes_;
};

}  // namespace txscope::audit
