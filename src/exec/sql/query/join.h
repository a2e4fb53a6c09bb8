#pragma once

#include <functional>
#include <span>
#include <vector>

#include "exec/sql/query/evaluation.h"

namespace txscope::sql {

/// FROM and WHERE: nested loops over the relations, in their order.  Rows are
/// gathered relation by relation, so that a store is never asked while it
/// answers.
class NestedLoops {
 public:
  /// False: enough.
  using OnRow = std::function<bool()>;

  NestedLoops(Evaluation& evaluation, const Plan& plan,
              std::span<const Relation> relations, std::span<const Join> joins,
              const Scope* outer);

  /// Calls `on_row` for each row that fulfils all conditions; rows(), handles()
  /// and scope() have it then.
  void run(const OnRow& on_row);

  /// Nobody looks at more rows than these of the first relation; 0: at all.
  void want(std::uint64_t rows) { wanted_ = rows; }

  [[nodiscard]] std::span<const Row* const> rows() const { return rows_; }
  [[nodiscard]] std::span<const RowHandle> handles() const { return handles_; }
  [[nodiscard]] const Scope& scope() const { return scope_; }

 private:
  struct Fetched {
    std::vector<FoundRow> rows;
    std::vector<bool> has_match;  ///< of a FULL JOIN
    bool is_known = false;
  };

  bool loop(std::size_t i, const OnRow& on_row);
  /// The rows of a FULL JOIN that joined none of those before it.
  bool loop_alone(std::size_t i, const OnRow& on_row);
  bool try_row(std::size_t i, const Row& row, RowHandle handle,
               const OnRow& on_row);
  const std::vector<FoundRow>& fetch(std::size_t i);
  void scan(std::size_t i, std::vector<FoundRow>& found);
  bool probe(std::size_t i, Access& access);
  void limit_keys(std::size_t i, Access& access);

  Evaluation& evaluation_;
  const Plan& plan_;
  std::span<const Relation> relations_;
  std::span<const Join> joins_;
  std::vector<const Row*> rows_;
  std::vector<RowHandle> handles_;
  std::vector<Fetched> fetched_;
  std::uint64_t wanted_ = 0;
  Scope scope_;
};

/// A row of NULLs with at least that many columns.
[[nodiscard]] const Row& null_row(std::size_t columns);

}  // namespace txscope::sql
