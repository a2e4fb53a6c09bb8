#pragma once

#include <optional>
#include <span>
#include <variant>

#include "audit/attempt/answer.h"
#include "audit/attempt/statement_points.h"
#include "audit/tables/view.h"
#include "base/budget.h"

namespace txscope::audit {

/// What a statement of a transaction may see.
struct Sight {
  /// The state that it reads; or, with a chooser, any versions.
  Position at = kNow;
  Chooser* chooser = nullptr;
  /// The state that constraints are held against.
  Position constraints = kNow;
  /// PostgreSQL's READ COMMITTED: rows to be written or locked are taken in
  /// their version in the state `constraints`, and tested again.
  bool rechecks = false;
  /// Where to note the rows that are looked at; may be none.
  Visited* visited = nullptr;
  /// The answer is to be told, not only compared with what was observed.
  bool tells = false;
  /// No key is held against anything.
  bool is_unbound = false;
  /// How many numbers the logged statement has drawn so far.
  std::size_t* drawn = nullptr;
  /// Every statement of a routine, and of triggers, sees a state of its own;
  /// none: all see `at`.
  StatementPoints* points = nullptr;
  /// Of one inside of a STABLE function: what the one before it saw.
  bool reuses_snapshot = false;
  /// Which rows SKIP LOCKED passes over; none: no rows.
  Choices* choices = nullptr;
  /// PostgreSQL's REPEATABLE READ: a row that it locks, or that ON CONFLICT
  /// finds in its way, must be as the state that it reads has it.
  bool keeps_snapshot = false;
};

/// Numbers for serial and identity columns that the log does not show.
class GeneratedIds {
 public:
  virtual ~GeneratedIds() = default;
  /// What a statement draws from a sequence when it draws for the `nth` time,
  /// from 0, something that is neither shown nor assumed.
  [[nodiscard]] virtual std::int64_t next(std::uint32_t sequence,
                                          const sql::LogStatement& by,
                                          std::size_t nth) = 0;
};

/// Runs one statement over what its transaction sees and has written; an error
/// leaves `own` as it was.  Interrupted: the budget is spent.
[[nodiscard]] std::variant<Answer, sql::Interrupted> execute(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget);

/// The same for a call: all statements of its routine see what `sight` says.
[[nodiscard]] std::variant<Answer, sql::Interrupted> execute_call(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget);

}  // namespace txscope::audit
