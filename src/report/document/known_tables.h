#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/answer.h"
#include "report/document/document.h"

namespace txscope::report::document {

/// What the tables of a run contain, step by step, as far as the run itself
/// tells it.
///
/// Method.  A row of the end that nobody wrote, and a version that was read and
/// that nobody wrote, were there from the beginning; a row that was written but
/// never read before was not.  Writes stand apart until their transaction
/// commits.
class KnownTables {
 public:
  KnownTables(const Workload& workload, const Counterexample& example);
  /// Nothing is known yet; `columns` by table.
  explicit KnownTables(std::map<std::string, std::vector<std::string>> columns)
      : columns_(std::move(columns)) {}

  /// A row, or that there is none, was there from the beginning; the first that
  /// says so is right.
  void begin_with(const RowUse& use) { begin_with(key_of(use), use.row); }
  /// Takes the next step: `who` writes, and then, if `end` says so, ends.
  enum class End : std::uint8_t { None, Commit, Rollback };
  void take(const std::string& who, const std::vector<RowUse>& writes, End end);
  void take(const Workload& workload, const txscope::Step& step);
  /// As it is now; cells that the last step changed are marked.
  [[nodiscard]] std::vector<Table> now() const;
  [[nodiscard]] bool is_empty() const { return known_.empty(); }

 private:
  struct Key {
    std::string table;
    std::string name;
    bool operator<(const Key& other) const;
  };
  struct Version {
    std::optional<sql::Row> row;
    std::optional<sql::Row> before;  ///< the last step; for marks
    bool is_changed = false;         ///< by the last step
    std::map<std::string, std::optional<sql::Row>> pending;  ///< by transaction
    std::string changed_pending;  ///< whose was written by the last step
  };

  [[nodiscard]] static Key key_of(const RowUse& use);
  void begin_with(const Key& key, const std::optional<sql::Row>& row);
  [[nodiscard]] std::vector<std::string> columns_of(
      const std::string& table) const;
  [[nodiscard]] std::vector<std::string> cells_of(const Key& key,
                                                  const sql::Row& row) const;
  void show(const Key& key, const Version& version, Table& table) const;

  std::map<std::string, std::vector<std::string>> columns_;
  std::map<Key, Version> known_;
};

}  // namespace txscope::report::document
