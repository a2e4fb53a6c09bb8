#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/identity/identifiers.h"
#include "engine/server/row_pool.h"
#include "model/sql/application.h"

namespace txscope::engine {

/// Which sessions do the same, and by which values they can be told apart.
///
/// Definition.  Two sessions are alike if their calls are equal, but for texts
/// that are only stored (Identifiers): exchanging the two in a run, with these
/// texts and with the numbers that each drew, gives a run.  So of states that
/// differ by such an exchange one is enough.
/// Invariant.  A value is the mark of one session if it is a number of a
/// sequence that gives each session its own, from kFar on, where the
/// application has no others; or, in a column that nobody looks at, a text that
/// only this session has as an argument.
class SessionMarks {
 public:
  /// The first number that sessions draw.
  static constexpr std::int64_t kFar = 2'000'000'000;

  /// None: no two sessions are alike, or it is not known how to tell.
  [[nodiscard]] static std::optional<SessionMarks> find(
      const sql::Application& application, const Identifiers& identifiers,
      const sql::MemoryDatabase& initial);

  /// Sessions alike, in groups of two or more.
  [[nodiscard]] const std::vector<std::vector<std::uint8_t>>& groups() const {
    return groups_;
  }
  [[nodiscard]] std::int64_t number(std::uint32_t turn) const {
    return kFar + turn;
  }
  /// Whose number it is, and which of them.
  [[nodiscard]] std::optional<RowMark> of_number(const sql::Value& value) const;
  /// Whose text it is.
  [[nodiscard]] std::optional<RowMark> of_text(const sql::Value& value) const;
  [[nodiscard]] std::vector<RowMark> of_row(TableId table,
                                            const sql::Row& row) const;

 private:
  std::size_t sessions_ = 0;
  std::vector<std::vector<std::uint8_t>> groups_;
  std::map<sql::Value, RowMark> texts_;
  std::vector<std::vector<bool>> blank_;  ///< by table and column
};

}  // namespace txscope::engine
