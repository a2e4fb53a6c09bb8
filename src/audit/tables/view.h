#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "audit/tables/own_writes.h"
#include "audit/tables/tables.h"
#include "exec/sql/query/store.h"

namespace txscope::audit {

/// Picks versions row by row, where a level lets a statement see any of them.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// The version of this row that the statement sees; none: it does not.
  [[nodiscard]] virtual RowPtr choose(const sql::Access& access,
                                      RowNumber row) = 0;
  /// Another statement begins, of the same routine: it may see others.
  virtual void begin_statement() = 0;
};

/// The rows that a run has looked at, in whatever version, by table: two states
/// that agree on them give it the same answers.
using Visited = std::vector<std::pair<TableId, RowNumber>>;

/// The last change before or at `at` of a row that a run has looked at: the
/// states from there on to `at` are the same to it.
[[nodiscard]] Position last_change(const Tables& tables, const Visited& visited,
                                   Position at);

/// What one statement sees: a state, or versions that somebody chooses, and
/// over it what its transaction wrote itself.
class View final : public sql::Store {
 public:
  View(const Tables& tables, const OwnWrites& own, Position at,
       Chooser* chooser = nullptr, Visited* visited = nullptr)
      : tables_(tables),
        own_(own),
        at_(at),
        chooser_(chooser),
        visited_(visited) {}

  bool scan(const sql::Access& access, const OnRow& on_row) override {
    return scan(access, {}, on_row);
  }
  /// Only rows within the bounds need be shown.
  bool scan(const sql::Access& access, std::span<const KeyBound> bounds,
            const OnRow& on_row);

  [[nodiscard]] Position at() const { return at_; }
  /// Rows other than `except` with these values in these columns, until
  /// `on_row` says false; for constraints.  NULL is equal to nothing.
  void each_equal(TableId table, std::span<const std::uint32_t> columns,
                  std::span<const sql::Value> values, std::uint64_t except,
                  const std::function<bool(std::uint64_t handle,
                                           const RowPtr&)>& on_row) const;
  /// Whether there is one.
  [[nodiscard]] bool has(TableId table, std::span<const std::uint32_t> columns,
                         std::span<const sql::Value> values,
                         std::uint64_t except) const;
  [[nodiscard]] RowPtr row(TableId table, std::uint64_t handle) const;

 private:
  [[nodiscard]] bool has_other_key(const sql::Access& access,
                                   const sql::Row& row) const;

  const Tables& tables_;
  const OwnWrites& own_;
  Position at_;
  Chooser* chooser_;
  Visited* visited_;
};

}  // namespace txscope::audit
