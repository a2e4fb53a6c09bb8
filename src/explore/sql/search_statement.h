#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "exec/sql/writer/database.h"
#include "exec/sql/writer/session_numbers.h"
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
/// Method.  A row is at its key, as if the tables were clustered by it.  What
/// the statement writes is kept aside; keys are looked up there first.
class SearchStatement final : public Database, public RemembersNumbers {
 public:
  SearchStatement(const Routines& routines, Universe& universe, RowReads& reads,
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

  [[nodiscard]] unsigned nesting() const override { return nesting_; }
  bool run_nested(const Routines& routines, const Request& request,
                  std::span<const Value> slots, const Budget& budget,
                  StatementResult& result,
                  std::optional<SqlError>& error) override;
  bool nest(const Request& request) override;
  [[nodiscard]] std::size_t depth() const override { return saved_.size(); }
  [[nodiscard]] const WriteRules& rules() const override;
  bool scan(const Access& access, const OnRow& on_row) override;
  std::int64_t next(std::uint32_t sequence) override;
  /// Of the transaction's own.
  [[nodiscard]] Answer last_number(
      std::optional<std::uint32_t> sequence) override;
  bool find_duplicate(TableId table, std::size_t key, const Row& row,
                      RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override;
  bool lock_conflicting(RowHandle at, LockStrength strength,
                        Row& there) override;
  bool find_parent(const ForeignKey& key, const Row& child,
                   bool& is_found) override;
  bool is_replaced(const ForeignKey& key, const Row& gone,
                   bool& is_found) override;
  bool find_children(TableId child, const ForeignKey& key, const Row& parent,
                     std::vector<RowHandle>& children) override;
  bool lock_child(RowHandle at, const ForeignKey& key, const Row& parent,
                  LockStrength strength, std::optional<Row>& row) override;
  [[nodiscard]] std::optional<Row> latest(RowHandle at) override;
  bool put(TableId table, const Row& row, RowHandle& at) override;
  bool replace(RowHandle at, const Row& old, const Row& row) override;
  bool erase(RowHandle at, const Row& old) override;

 private:
  using Place = std::pair<TableId, Row>;  // a key
  struct Change {
    Place at;
    std::optional<Row> before;
    std::optional<Row> after;
  };

  // A handle's row is a position in Universe::keys(); of a key that the
  // universe does not have yet, one in new_keys_ behind kNewKey.
  static constexpr std::uint64_t kNewKey = std::uint64_t{1} << 63;
  [[nodiscard]] RowHandle handle_of(TableId table, const Row& key);
  [[nodiscard]] const Row& key_at(RowHandle at) const;

  /// Where rows with these values of `columns` are, other than at `self`: the
  /// first, or all.
  bool find_equal(TableId table, const std::vector<std::uint32_t>& columns,
                  const Row& values, const Row* self, bool finds_all,
                  std::vector<RowHandle>& found);
  [[nodiscard]] bool differs(TableId table,
                             const std::vector<std::uint32_t>& columns,
                             const Row& values, const Row& key) const;
  /// The row there now; false: the search has to answer first.
  bool current(RowHandle at, std::optional<Row>& row);
  void change(RowHandle at, std::optional<Row> before,
              std::optional<Row> after);
  [[nodiscard]] StatementEffect effect();

  const Routines& routines_;
  const Schema& schema_;
  Universe& universe_;
  RowReads& reads_;
  InstanceId instance_;
  const Budget& budget_;
  Drawn* drawn_ = nullptr;
  std::vector<Place> new_keys_;
  std::vector<Change> changes_;
  std::map<Place, std::optional<Row>> latest_;
  unsigned nesting_ = 0;
  std::vector<std::size_t> saved_;  // sub-transactions of triggers
};

}  // namespace txscope::sql
