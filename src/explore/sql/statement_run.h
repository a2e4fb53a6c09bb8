#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "explore/sql/claims.h"
#include "explore/sql/row_reads.h"

namespace txscope::sql {

/// How many numbers a transaction has taken: of each sequence, and as hidden
/// keys of each table.
struct Drawn {
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> hidden;
};

/// What a statement did: the rows it wrote, in order, and what it gives back.
struct StatementEffect {
  struct Write {
    TableId table;
    Row key;
    std::int64_t version = Universe::kAbsent;
  };
  std::vector<Write> writes;
  Claims::Changes claims;  ///< of values that must be unique
  StatementResult result;
};

/// Runs one statement over the rows that the search gives it.
///
/// Definition.  Reads and writes of rows: UPDATE and DELETE read what WHERE
/// leaves open and write the rows found; INSERT reads its key (23505 if a row
/// is there) and writes it; another UNIQUE is a scan of the keys that can hold
/// the same values; a foreign key reads the parent, or the children when a
/// parent goes.  Locks are nothing at these levels.
/// Method.  The statement's own writes are kept aside; constraints look at them
/// first.  Uniqueness is tested row by row, foreign keys when all rows are
/// done, as PostgreSQL does.
class StatementRun {
 public:
  StatementRun(const Routines& routines, Universe& universe, RowReads& reads,
               InstanceId instance, const Budget& budget)
      : routines_(routines),
        schema_(universe.schema()),
        universe_(universe),
        reads_(reads),
        instance_(instance),
        budget_(budget) {}

  /// `drawn` counts on.
  [[nodiscard]] Evaluated<StatementEffect> run(const DbStatement& statement,
                                               std::span<const Value> slots,
                                               std::uint64_t max_rows,
                                               Drawn& drawn);

 private:
  // Why a step did not succeed; nothing: it did.
  using Stopped = std::optional<std::variant<SqlError, Interrupted>>;
  using Place = std::pair<TableId, Row>;  // a key
  struct Change {
    Place at;
    std::optional<Row> before;
    std::optional<Row> after;
  };

  Stopped insert(const DbStatement& statement, const Insert& insert,
                 Evaluator& evaluator, Drawn& drawn);
  Stopped insert_row(const DbStatement& statement, const Insert& insert,
                     Row row, Evaluator& evaluator, Drawn& drawn);
  Stopped update(const DbStatement& statement, const Update& update,
                 Evaluator& evaluator);
  Stopped update_row(TableId table, const Row& key, const Row& before,
                     const Row& after, Evaluator& evaluator);
  Stopped remove(const DbStatement& statement, const Delete& remove,
                 Evaluator& evaluator);
  Stopped give_back(const DbStatement& statement, const Row& row,
                    Evaluator& evaluator);

  // Constraints.
  Stopped check_unique(TableId table, const Row& key, const Row& row,
                       const Row* before);
  /// Where a row with these values of `columns` is, other than at `self`.
  Stopped find_equal(TableId table, const std::vector<std::uint32_t>& columns,
                     const Row& values, const Row* self,
                     std::optional<Row>& found);
  [[nodiscard]] bool differs(TableId table,
                             const std::vector<std::uint32_t>& columns,
                             const Row& values, const Row& key) const;
  Stopped check_foreign(Evaluator& evaluator);
  Stopped check_parents(const Change& change);
  Stopped check_children(const Change& change, Evaluator& evaluator);
  Stopped current(TableId table, const Universe::Entry& entry,
                  std::optional<Row>& row);
  void change(TableId table, const Row& key, std::optional<Row> before,
              std::optional<Row> after);

  const Routines& routines_;
  const Schema& schema_;
  Universe& universe_;
  RowReads& reads_;
  InstanceId instance_;
  const Budget& budget_;
  std::vector<Change> changes_;
  std::map<Place, std::optional<Row>> latest_;
  StatementEffect effect_;
};

}  // namespace txscope::sql
