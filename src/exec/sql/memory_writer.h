#pragma once

#include <cstdint>
#include <span>

#include "exec/sql/memory_database.h"

namespace txscope::sql {

/// Runs one statement on a database in memory, with all constraints.
class MemoryWriter {
 public:
  static Evaluated<StatementResult> run(MemoryDatabase& database,
                                        const DbStatement& statement,
                                        std::span<const Value> slots,
                                        const Budget& budget,
                                        std::uint64_t max_rows);

 private:
  class Run;
};

}  // namespace txscope::sql
