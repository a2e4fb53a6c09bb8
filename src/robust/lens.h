#pragma once

#include <memory>

#include "base/budget.h"
#include "exec/script.h"
#include "robust/question.h"
#include "robust/serial_runs.h"

namespace txscope::robust {

/// A committed write of a row: its version before, in the order of commits, and
/// after.
struct RowChange {
  KeyId key;
  std::int64_t before = 0;
  std::int64_t after = 0;
  /// By whom, and by which statements.
  const TransactionRun* writer = nullptr;
  std::span<const std::uint32_t> pcs;
};

/// What of the reads and writes of transactions counts, and what clients are
/// shown.
///
/// Definition.  By rows every read of a row depends on every write of it.  By
/// columns only if the write names a column that the statement names, or
/// changes one; rows that come or go have all columns.  By results only if the
/// row is one that the statement looks for, before or after the write, and a
/// column that it names changes.  A statement that takes only the smallest or
/// largest value of a column looks for no row behind the one it found.  A place
/// of a
/// `.txn` program is a row with one column.
/// A client is shown the values of a program's reads, and what statements of
/// SQL give: rows, counts, errors.
class Lens {
 public:
  virtual ~Lens() = default;
  /// Its own: transactions that it is asked about ran here.
  [[nodiscard]] virtual exec::Runner& runner() = 0;
  virtual void show(const TransactionRun& run, Shown& to) = 0;
  /// Makes states equal in which only names differ that nobody can see: the
  /// hidden keys of rows without a primary key.
  virtual void forget_names(std::vector<std::int64_t>& state) = 0;
  [[nodiscard]] virtual bool depends(const TransactionRun& reader,
                                     const TransactionRun::Read& read,
                                     const RowChange& change,
                                     Granularity granularity) = 0;
};

[[nodiscard]] std::unique_ptr<Lens> make_lens(const exec::Script& script,
                                              std::uint64_t loop_bound,
                                              const Budget& budget);

}  // namespace txscope::robust
