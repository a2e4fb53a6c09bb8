#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "audit/row_access.h"
#include "audit/view.h"

namespace txscope::audit {

/// All combinations of versions that one statement may see at read committed:
/// one choice per row.  Each run of the statement asks for the rows that it
/// comes to; next() turns the last choice that has another on.
class Odometer final : public Chooser {
 public:
  /// How many runs a statement is worth.
  static constexpr std::uint64_t kMostRuns = 50000;

  /// `scans_once`: no row is looked at twice by the statement, so versions that
  /// a scan does not want are as good as no row.
  Odometer(const Tables& tables, Position last, bool scans_once)
      : tables_(tables), last_(last), scans_once_(scans_once) {}

  /// The answer shows these rows, each with these columns, and no others of the
  /// table: versions that it cannot show are left out.
  void expect(const std::vector<RowAccess>& seen);

  /// Versions that were made there are not seen.
  void hide(const std::set<Position>& made_at) { hidden_ = &made_at; }

  /// Prepares the next run; false: that were all.
  bool next();
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

  RowPtr choose(const sql::Access& access, RowNumber row) override;

  /// What the last run saw of a row.
  struct Choice {
    RowPtr row;  ///< none: it did not see it
    /// Where it is as no scan wanted it; none: it was not there at all.
    std::optional<Position> unwanted;
  };
  /// By table and row.
  using Choices = std::map<std::pair<std::uint32_t, RowNumber>, Choice>;
  [[nodiscard]] const Choices& choices() const { return chosen_; }

 private:
  struct Wheel {
    std::vector<RowPtr> options;
    std::size_t at = 0;
    std::optional<Position> unwanted;
  };

  [[nodiscard]] Wheel wheel(const sql::Access& access, RowNumber row) const;
  /// Those of `options` that the answer can show.
  [[nodiscard]] std::vector<RowPtr> shown(TableId table,
                                          std::vector<RowPtr> options) const;

  const Tables& tables_;
  Position last_;
  bool scans_once_;
  bool is_guided_ = false;
  const std::set<Position>* hidden_ = nullptr;
  std::map<sql::Row, const RowAccess*, KeyLess> seen_;
  std::uint64_t runs_ = 0;
  std::vector<Wheel> wheels_;
  std::size_t reached_ = 0;
  Choices chosen_;
};

}  // namespace txscope::audit
