#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/sql/store.h"

namespace txscope::sql {

/// The rows of a table, in the order of the primary key, else of insertion.
struct TableRows {
  struct Entry {
    std::uint64_t number = 0;  ///< never used again
    std::shared_ptr<const Row> row;
  };
  std::vector<Entry> entries;
  std::uint64_t next = 1;
};

using Columns = std::vector<std::uint32_t>;

/// Compares `a` and `b` column by column; NULLs, which keys do not have, first.
[[nodiscard]] int compare_columns(const Row& a, const Columns& in_a,
                                  const Row& b, const Columns& in_b);
[[nodiscard]] bool has_null(const Row& row, const Columns& columns);

/// What a statement sees: the tables as they were when it started.
class TablesStore final : public Store {
 public:
  TablesStore(const Schema& schema,
              std::span<const std::shared_ptr<const TableRows>> tables)
      : schema_(schema), tables_(tables) {}

  bool scan(const Access& access, const OnRow& on_row) override;

 private:
  const Schema& schema_;
  std::span<const std::shared_ptr<const TableRows>> tables_;
};

}  // namespace txscope::sql
