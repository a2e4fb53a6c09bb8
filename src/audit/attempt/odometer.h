#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "audit/attempt/choices.h"
#include "audit/rows/row_access.h"
#include "audit/tables/view.h"

namespace txscope::audit {

/// All combinations of versions that one statement may see at read committed,
/// or the statements of a routine: one choice per statement and row.  Each run
/// asks for the rows that it comes to; next() turns the last choice that has
/// another on.
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
  void expect(std::vector<RowAccess> seen);

  /// Versions that were made there are not seen.
  void hide(const std::set<Position>& made_at) { hidden_ = &made_at; }

  /// Versions that were replaced by then are not seen.
  void since(Position oldest) { since_ = oldest; }

  /// Prepares the next run; false: that were all.
  bool next();
  [[nodiscard]] std::uint64_t runs() const { return choices_.runs(); }
  /// Besides versions, whatever else is open in a run.
  [[nodiscard]] Choices& choices() { return choices_; }

  RowPtr choose(const sql::Access& access, RowNumber row) override;
  void begin_statement() override { chosen_.clear(); }

  /// What the last run saw of a row.
  struct Choice {
    RowPtr row;  ///< none: it did not see it
    /// Where it is as no scan wanted it; none: it was not there at all.
    std::optional<Position> unwanted;
  };
  /// By table and row.
  using Picks = std::map<std::pair<std::uint32_t, RowNumber>, Choice>;
  [[nodiscard]] const Picks& picks() const { return chosen_; }

 private:
  struct Wheel {
    std::vector<RowPtr> options;  ///< empty: not a choice of versions
    std::optional<Position> unwanted;
  };

  [[nodiscard]] Wheel wheel(const sql::Access& access, RowNumber row) const;
  /// Those of `options` that the answer can show.
  [[nodiscard]] std::vector<RowPtr> shown(TableId table,
                                          std::vector<RowPtr> options) const;

  const Tables& tables_;
  Position last_;
  Position since_ = kSetup;
  bool scans_once_;
  bool is_guided_ = false;
  const std::set<Position>* hidden_ = nullptr;
  std::vector<RowAccess> expected_;
  /// More than one of two lives of a key.
  std::multimap<sql::Row, const RowAccess*, KeyLess> seen_;
  Choices choices_;
  std::vector<Wheel> wheels_;  // by choice
  Picks chosen_;
};

}  // namespace txscope::audit
