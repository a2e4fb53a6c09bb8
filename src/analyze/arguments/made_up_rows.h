#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/arguments/column_hints.h"
#include "analyze/transaction_type.h"
#include "base/budget.h"
#include "exec/sql/memory/database.h"

namespace txscope::analyze {

/// Values that made-up rows have: by table, number of the row from 1, column.
using RowPlan =
    std::map<std::tuple<std::string, std::int64_t, std::string>, sql::Value>;

/// A few rows for tables that the setup leaves empty, and that transactions
/// look at, or their rows refer to: without rows nobody meets on one.
///
/// Method.  Parents before children; keys count up from 1, foreign keys name
/// the parent's rows, other columns take what a plan says, what the code and
/// the constraints compare them with, or plain values, of which the next ones
/// are tried where a constraint refuses the row.  A table whose constraints
/// refuse all of them stays empty.
class MadeUpRows {
 public:
  /// The application must outlive it.
  MadeUpRows(const std::vector<TransactionType>& types,
             const sql::Application& application, const Budget& budget);
  MadeUpRows(const MadeUpRows&) = delete;
  MadeUpRows& operator=(const MadeUpRows&) = delete;

  struct Made {
    sql::MemoryDatabase database;  ///< after the setup and these
    std::vector<sql::DbStatement> statements;
    std::vector<TableId> tables;  ///< that got rows
  };
  /// None: the setup itself cannot be run.
  [[nodiscard]] std::optional<Made> make(const RowPlan& plan) const;
  /// Other values that a column might have.
  [[nodiscard]] std::vector<sql::Value> alternatives(ColumnRef column) const;

 private:
  const sql::Application& application_;
  std::vector<bool> wanted_;  ///< by table
  std::map<ColumnRef, ColumnHints> hints_;
  sql::Routines routines_;
  const Budget budget_;
  std::optional<sql::MemoryDatabase> initial_;
};

/// Adds them to the setup; the names of the tables that got rows.
std::vector<std::string> make_up_rows_for(
    const std::vector<TransactionType>& types, const RowPlan& plan,
    sql::Application& application, const Budget& budget);

}  // namespace txscope::analyze
