#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "audit/attempt/answer.h"
#include "audit/attempt/attempt.h"
#include "audit/attempt/prepared.h"
#include "exec/sql/memory/statement.h"

namespace txscope::audit {

/// All tables of a state.
using States = sql::MemoryStatement::Tables;

/// One row that differs between two states.
struct Difference {
  TableId table;
  std::uint64_t number = 0;
  std::shared_ptr<const sql::Row> old;  ///< none: it is new
  std::shared_ptr<const sql::Row> now;  ///< none: it is gone
};
using Differences = std::vector<Difference>;

/// A row that was written is another, though its values are the same.
[[nodiscard]] Differences differences(const States& before,
                                      const States& after);

/// Puts changes over whatever is there: conflicts are not looked for.  New rows
/// get the next numbers, or `keeps_numbers`.
void apply(const sql::Schema& schema, const Differences& changes,
           bool keeps_numbers, States& to);

/// Runs statements of a log on whole tables, for a certificate.
class Rerun {
 public:
  Rerun(const sql::Schema& schema, std::vector<std::int64_t>& sequences,
        const Budget& budget)
      : schema_(schema), sequences_(sequences), budget_(budget) {}

  /// What a statement is held against besides the state that it sees.
  struct Against {
    /// Where keys are looked up; none: in the state that it sees.
    const States* keys = nullptr;
    /// Rows to be written or locked that are others there are taken from there
    /// and tested again.
    bool rechecks = false;
  };

  /// Whether it answers as observed; if it does not, or fails, `tables` are as
  /// they were.
  bool answers(const Prepared& prepared, const sql::LogStatement& observed,
               States& tables, const Against& against);

  /// Whether these changes leave the foreign keys in order that are looked at
  /// when a transaction commits.
  bool keeps_deferred(const Txn& txn, const Differences& changes,
                      const States& after);

  /// The rows that the last one took from there.
  [[nodiscard]] const std::vector<sql::RowHandle>& rechecked() const {
    return rechecked_;
  }

 private:
  Answer run(const Prepared& prepared, const sql::LogStatement& observed,
             States& tables, const Against& against);
  Answer run(const Prepared& prepared, const sql::DbStatement& statement,
             const sql::LogStatement& observed, States& tables,
             const Against& against);
  Answer call(const Prepared& prepared, const sql::LogStatement& observed,
              States& tables, const Against& against);

  const sql::Schema& schema_;
  std::vector<std::int64_t>& sequences_;
  const Budget& budget_;
  std::vector<sql::RowHandle> rechecked_;
};

}  // namespace txscope::audit
