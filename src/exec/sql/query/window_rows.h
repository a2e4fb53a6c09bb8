#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "exec/sql/query/evaluation.h"
#include "exec/sql/query/frame.h"

namespace txscope::sql {

/// The rows of a query that has window calls, between HAVING and its targets.
///
/// PARTITION BY and ORDER BY sort them, once for all calls that have the same;
/// each sort keeps the order of the one before among equal rows.  The first of
/// them in the text is the last that is done, and the order in which the rows
/// leave, as in PostgreSQL, where the query itself has no ORDER BY.
class WindowRows {
 public:
  /// False: enough.
  using OnRow = std::function<bool(const Scope&)>;

  WindowRows(Evaluation& evaluation, const Query& query, const Scope* outer)
      : evaluation_(evaluation), query_(query), outer_(outer) {}

  void add(std::span<const Row* const> rows, std::span<const Value> aggregates);
  /// Calls `on_row` for each row with all window calls evaluated.
  void run(const OnRow& on_row);

 private:
  struct Kept {
    std::vector<Row> rows;  ///< by relation
    std::vector<const Row*> names;
    std::vector<Value> aggregates;
    std::vector<Value> windows;
  };
  /// The calls over rows in one order.
  struct Pass {
    std::vector<std::size_t> calls;
    std::vector<Row> keys;           ///< by row: PARTITION BY, then ORDER BY
    std::vector<std::size_t> order;  /// of rows
    [[nodiscard]] const Value& key(std::size_t place, std::size_t i) const {
      return keys[order[place]][i];
    }
  };
  class Run;  ///< one call over one partition

  [[nodiscard]] std::vector<Pass> passes() const;
  void evaluate_offsets();
  Value offset(const FrameBound& bound, bool is_range, const char* which);
  void sort(Pass& pass);
  /// Where the partition that begins at a place ends.
  [[nodiscard]] std::size_t end_of(const Pass& pass, std::size_t begin) const;
  [[nodiscard]] PartitionShape shape(const Pass& pass, std::size_t begin,
                                     std::size_t end) const;
  bool evaluate(Pass& pass, const OnRow* on_row);
  [[nodiscard]] Scope scope(const Kept& kept) const {
    return {kept.names.data(), kept.aggregates.data(), outer_,
            kept.windows.data()};
  }

  Evaluation& evaluation_;
  const Query& query_;
  const Scope* outer_;
  std::deque<Kept> rows_;                         ///< `names` point into it
  std::vector<std::pair<Value, Value>> offsets_;  ///< by call
  std::vector<std::size_t> order_;                ///< of rows so far
};

}  // namespace txscope::sql
