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

namespace txscope::explore {

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
    sql::Row key;
    std::int64_t version = Universe::kAbsent;
  };
  std::vector<Write> writes;
  Claims::Changes claims;  ///< of values that must be unique
  sql::StatementResult result;
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
class SearchStatement final : public sql::Database,
                              public sql::RemembersNumbers {
 public:
  SearchStatement(const sql::Routines& routines, Universe& universe,
                  RowReads& reads, exec::InstanceId instance,
                  const Budget& budget)
      : routines_(routines),
        schema_(universe.schema()),
        universe_(universe),
        reads_(reads),
        instance_(instance),
        budget_(budget) {}

  /// `drawn` counts on.
  [[nodiscard]] sql::Evaluated<StatementEffect> run(
      const sql::DbStatement& statement, std::span<const sql::Value> slots,
      std::uint64_t max_rows, Drawn& drawn);

  [[nodiscard]] unsigned nesting() const override { return nesting_; }
  bool run_nested(const sql::Routines& routines, const sql::Request& request,
                  std::span<const sql::Value> slots, const Budget& budget,
                  sql::StatementResult& result,
                  std::optional<sql::SqlError>& error) override;
  bool nest(const sql::Request& request) override;
  [[nodiscard]] std::size_t depth() const override { return saved_.size(); }
  [[nodiscard]] const sql::WriteRules& rules() const override;
  bool scan(const sql::Access& access, const OnRow& on_row) override;
  std::int64_t next(std::uint32_t sequence) override;
  /// Of the transaction's own.
  [[nodiscard]] Remembered last_number(
      std::optional<std::uint32_t> sequence) override;
  bool find_duplicate(TableId table, std::size_t key, const sql::Row& row,
                      sql::RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override;
  bool lock_conflicting(sql::RowHandle at, sql::LockStrength strength,
                        sql::Row& there) override;
  bool find_parent(const sql::ForeignKey& key, const sql::Row& child,
                   bool& is_found) override;
  bool is_replaced(const sql::ForeignKey& key, const sql::Row& gone,
                   bool& is_found) override;
  bool find_children(TableId child, const sql::ForeignKey& key,
                     const sql::Row& parent,
                     std::vector<sql::RowHandle>& children) override;
  bool lock_child(sql::RowHandle at, const sql::ForeignKey& key,
                  const sql::Row& parent, sql::LockStrength strength,
                  std::optional<sql::Row>& row) override;
  [[nodiscard]] std::optional<sql::Row> latest(sql::RowHandle at) override;
  bool put(TableId table, const sql::Row& row, sql::RowHandle& at) override;
  bool replace(sql::RowHandle at, const sql::Row& old,
               const sql::Row& row) override;
  bool erase(sql::RowHandle at, const sql::Row& old) override;

 private:
  using Place = std::pair<TableId, sql::Row>;  // a key
  struct Change {
    Place at;
    std::optional<sql::Row> before;
    std::optional<sql::Row> after;
  };

  // A handle's row is a position in Universe::keys(); of a key that the
  // universe does not have yet, one in new_keys_ behind kNewKey.
  static constexpr std::uint64_t kNewKey = std::uint64_t{1} << 63;
  [[nodiscard]] sql::RowHandle handle_of(TableId table, const sql::Row& key);
  [[nodiscard]] const sql::Row& key_at(sql::RowHandle at) const;

  /// Where rows with these values of `columns` are, other than at `self`: the
  /// first, or all.
  bool find_equal(TableId table, const std::vector<std::uint32_t>& columns,
                  const sql::Row& values, const sql::Row* self, bool finds_all,
                  std::vector<sql::RowHandle>& found);
  [[nodiscard]] bool differs(TableId table,
                             const std::vector<std::uint32_t>& columns,
                             const sql::Row& values, const sql::Row& key) const;
  /// The row there now; false: the search has to answer first.
  bool current(sql::RowHandle at, std::optional<sql::Row>& row);
  void change(sql::RowHandle at, std::optional<sql::Row> before,
              std::optional<sql::Row> after);
  [[nodiscard]] StatementEffect effect();

  const sql::Routines& routines_;
  const sql::Schema& schema_;
  Universe& universe_;
  RowReads& reads_;
  exec::InstanceId instance_;
  const Budget& budget_;
  Drawn* drawn_ = nullptr;
  std::vector<Place> new_keys_;
  std::vector<Change> changes_;
  std::map<Place, std::optional<sql::Row>> latest_;
  unsigned nesting_ = 0;
  std::vector<std::size_t> saved_;  // sub-transactions of triggers
};

}  // namespace txscope::explore
