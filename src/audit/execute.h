#pragma once

#include <optional>
#include <span>
#include <variant>

#include "audit/answer.h"
#include "audit/view.h"
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
};

/// Numbers for serial and identity columns that the log does not show.
class GeneratedIds {
 public:
  virtual ~GeneratedIds() = default;
  [[nodiscard]] virtual std::int64_t next(std::uint32_t sequence) = 0;
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
