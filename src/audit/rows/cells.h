#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "audit/rows/must_precede.h"
#include "audit/rows/row_versions.h"

namespace txscope::audit {

/// Who wrote one column of one row, and what, by session in its order.
struct Cell {
  struct Writer {
    std::uint32_t txn = 0;
    std::uint32_t place = 0;  ///< in its session
    enum class Kind : std::uint8_t { Sets, Adds, Deletes, Unknown };
    Kind kind = Kind::Unknown;
    sql::Value value;         ///< of Sets
    std::int64_t added = 0;   ///< of Adds
    bool is_certain = false;  ///< it commits, and this is what it leaves
    /// Of its session up to here: the sum of what is added for certain, and how
    /// many other additions there are.
    sql::Int128 total = 0;
    std::uint32_t others = 0;
  };
  std::optional<sql::Value> initial;  ///< none: no such row
  std::map<std::uint32_t, std::vector<Writer>> sessions;
};

/// The cells of rows all of whose writers are known.
class Cells {
 public:
  Cells(const LoadedLog& log, const RowVersions& rows,
        const MustPrecede& order);

  /// None: somebody may have written the row who does not name it.
  [[nodiscard]] const Cell* find(std::uint32_t row, std::uint32_t column);

 private:
  const LoadedLog& log_;
  const RowVersions& rows_;
  const MustPrecede& order_;
  /// The last version of each transaction, by row.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> versions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Cell> cells_;
};

/// One way in which a cell can have got what a reader saw: who set it, none for
/// the setup, and those of whom any may have added to it since.
struct CellPast {
  const Cell::Writer* setter = nullptr;
  bool is_absent = false;
  bool is_any = false;  ///< nobody knows the value
  sql::Value value;     ///< with all that must have been added
  std::vector<const Cell::Writer*> open;
};

/// All ways for a reader that sees, for certain, what those in `low` wrote, and
/// maybe what others did, but those that it precedes.  `keeps_additions`: none
/// is ever lost, as it is made to the last version there is.
[[nodiscard]] std::vector<CellPast> pasts_of(const Cell& cell,
                                             const MustPrecede& order,
                                             std::uint32_t reader,
                                             std::span<const std::uint32_t> low,
                                             bool keeps_additions);

}  // namespace txscope::audit
