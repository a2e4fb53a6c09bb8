#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/sql/memory/tables.h"
#include "exec/sql/writer/database.h"
#include "exec/sql/writer/session_numbers.h"

namespace txscope::sql {

/// One statement on tables in memory: nobody else is there, so nothing is
/// locked and nothing waits.  What it writes is put into the tables at once,
/// and taken back unless keep() is called; until then scan() shows the tables
/// as they were when it began.
class MemoryStatement : public Database, public RemembersNumbers {
 public:
  using Tables = std::vector<std::shared_ptr<const TableRows>>;

  /// `numbers`: what the transaction got so far.
  MemoryStatement(const Schema& schema, Tables& tables,
                  std::vector<std::int64_t>& sequences,
                  SessionNumbers* numbers = nullptr)
      : schema_(schema),
        tables_(tables),
        sequences_(sequences),
        numbers_(numbers),
        last_(tables.size()) {}
  ~MemoryStatement() override;
  MemoryStatement(const MemoryStatement&) = delete;
  MemoryStatement& operator=(const MemoryStatement&) = delete;

  void keep() { changes_.clear(); }
  [[nodiscard]] unsigned nesting() const override { return nesting_; }
  bool run_nested(const Routines& routines, const Request& request,
                  std::span<const Value> slots, const Budget& budget,
                  StatementResult& result,
                  std::optional<SqlError>& error) override;
  bool nest(const Request& request) override;
  [[nodiscard]] std::size_t depth() const override { return saved_.size(); }

  [[nodiscard]] const WriteRules& rules() const override {
    return postgresql_rules();
  }
  bool scan(const Access& access, const OnRow& on_row) override;
  std::int64_t next(std::uint32_t sequence) override;
  [[nodiscard]] Remembered last_number(
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
  using Entry = RowIndex::Entry;
  using SharedRow = std::shared_ptr<const Row>;
  struct Change {
    RowHandle at;
    SharedRow old;  ///< none: it was not there
    SharedRow now;  ///< none: it is gone
  };

  [[nodiscard]] const TableRows& rows_of(TableId table) const {
    return *tables_[table.index];
  }
  /// An index of these columns, if it is worth one.
  [[nodiscard]] const RowIndex* index_of(TableId table, const Columns& columns);
  /// The same for a key on expressions.
  [[nodiscard]] const RowIndex* index_of(TableId table, const UniqueKey& key);
  template <class By, class... How>
  [[nodiscard]] const RowIndex* index_by(TableId table, const By& by,
                                         How... how);
  /// A row with the same values for which `is_it` is true.
  [[nodiscard]] std::optional<Entry> first_equal(
      TableId table, const Columns& columns, const Row& like,
      const Columns& in_like, const std::function<bool(const Entry&)>& is_it);
  [[nodiscard]] bool has_equal(TableId table, const Columns& columns,
                               const Row& like, const Columns& in_like);
  [[nodiscard]] const TableRows::Entry* find(RowHandle at) const;
  TableRows& writable(TableId table);
  void change(RowHandle at, SharedRow old, SharedRow now);
  void undo_to(std::size_t count);

  const Schema& schema_;
  Tables& tables_;
  std::vector<std::int64_t>& sequences_;
  SessionNumbers* numbers_;
  std::vector<Change> changes_;
  /// The last change of a row, by table and number.
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> last_;
  unsigned nesting_ = 0;
  std::vector<std::size_t> saved_;  ///< sub-transactions of triggers
};

}  // namespace txscope::sql
