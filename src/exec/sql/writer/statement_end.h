#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "exec/sql/routine/process.h"
#include "exec/sql/query/sql_error.h"

namespace txscope::sql {

/// How a statement ended, or why it cannot go on now: one way to say it for
/// every database.
struct StatementEnd {
  enum class Kind : std::uint8_t {
    Done,         ///< `result`
    Failed,       ///< `error`; nothing of the statement remains
    Waits,        ///< for the sessions in `blockers`; it runs again later
    NeedsAnswer,  ///< what a row holds is not known yet; it runs again then
    Undecided,    ///< `why`: a budget is spent, or something is beyond us
  };
  Kind kind = Kind::Done;
  StatementResult result;
  /// Its `sqlstate` is the product's own code.  Also of Undecided, if it is
  /// ours.
  SqlError error;
  std::uint64_t blockers = 0;
  std::string why;

  [[nodiscard]] bool is_done() const { return kind == Kind::Done; }

  // All say false, so that `return end.fail(...)` ends a step that says whether
  // to go on.  The first reason stays.
  bool fail(SqlError e) {
    if (!is_done()) return false;
    error = std::move(e);
    if (error.is_ours) return undecided(error.message);
    kind = Kind::Failed;
    return false;
  }
  bool wait(std::uint64_t sessions) {
    if (!is_done()) return false;
    kind = Kind::Waits;
    blockers = sessions;
    return false;
  }
  bool need_answer() {
    if (is_done()) kind = Kind::NeedsAnswer;
    return false;
  }
  bool undecided(std::string reason) {
    if (!is_done()) return false;
    kind = Kind::Undecided;
    why = std::move(reason);
    return false;
  }
};

}  // namespace txscope::sql
