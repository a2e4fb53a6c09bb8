#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "model/anomaly.h"
#include "model/level.h"
#include "model/repair.h"
#include "model/sql/value/value.h"
#include "model/verdict.h"
#include "model/workload.h"

namespace txscope {

/// A version of a row that was read, written or left.  A register of a `.txn`
/// program is a row of one column; no row: it is absent.
struct RowUse {
  std::string key;  ///< "x", "a[3]", "accounts(1)"
  std::optional<sql::Row> row;
  /// Who wrote the version; none: it was there from the beginning.
  std::optional<CallRef> writer;
  bool is_own = false;    ///< a read of the transaction's own write
  bool is_stale = false;  ///< a read that misses what was committed before
};

/// The rows of a table in the end; without a name: registers.
struct FinalTable {
  std::string name;
  std::vector<RowUse> rows;
};

/// The value of a variable that a condition mentions, or of an input.
struct NamedValue {
  std::string name;  ///< session.label.variable
  sql::Value value;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// One thing that happened, in the order of time.
struct Step {
  enum class Kind : std::uint8_t {
    Read,          ///< `.txn`: of reads[0]
    Write,         ///< `.txn`: of writes[0]
    Statement,     ///< SQL: gave `seen`
    Wait,          ///< SQL: has to wait for `waits_for`
    Error,         ///< fails with `code`; `seen` is the message
    AssertFailed,  ///< an assertion inside a transaction is false
    Commit,
    Rollback,
  };
  Kind kind = Kind::Statement;
  CallRef call;
  std::uint32_t attempt = 0;  ///< from 0; retries count up
  Span at;                    ///< the statement; of COMMIT the call
  std::string text;           ///< on one line, with values; "COMMIT"
  std::string seen;           ///< "100", "2 rows: (1, 5), (2, 7)"
  std::string code;           ///< of an Error: "40001", "1213", "raised"
  std::vector<std::uint32_t> waits_for;  ///< sessions
  std::vector<RowUse> reads;             ///< rows, and who wrote what was seen
  std::vector<RowUse> writes;
  /// Transactions that committed before and whose rows it still does not see.
  std::vector<CallRef> misses;
};

/// What the transactions of a counterexample do one after the other.
struct SerialRun {
  std::vector<CallRef> order;
  std::vector<CallRef> aborted;  ///< of these
  std::vector<FinalTable> finals;
  std::vector<NamedValue> variables;
  bool is_violated = false;
  /// The first thing that is otherwise than in the run, where that is asked.
  std::string difference;
};

/// What is asked of every application at an engine's level, without a rule of
/// the user.
enum class Builtin : std::uint8_t {
  OneAfterTheOther,  ///< every outcome is one of some serial order of the
                     ///< transactions that committed
  NoDeadlock,
};
/// "as if one after the other", "no deadlock".
[[nodiscard]] std::string_view name(Builtin builtin);

/// A rule that is not true at the end of a run.
struct BrokenRule {
  PropertyId property;
  std::string value;    ///< "false", "NULL"
  std::string numbers;  ///< as Counterexample::numbers
};

/// One run in which something is wrong; a Witness is one in which what has to
/// exist is there.
struct Counterexample {
  enum class Kind : std::uint8_t { Invariant, Assert, Error, Builtin, Witness };
  Kind kind = Kind::Invariant;
  std::string level;
  std::string name;  ///< of the property; of an Error what it is
  std::optional<PropertyId> property;
  std::optional<Builtin> builtin;  ///< then it has no place
  Span at;            ///< the condition, the assert, the failing operator
  std::string value;  ///< of the condition: "false", "NULL"
  /// The part of the condition that decides, with values: "4 <= 3"; empty:
  /// nothing shorter than the condition says it.
  std::string numbers;
  /// Of a Builtin: the user's rules that the same run breaks.
  std::vector<BrokenRule> broken;
  std::uint64_t violating = 0;  ///< histories that show it; 0 if not counted

  std::vector<CallRef> calls;  ///< that are needed to show it
  std::size_t all_calls = 0;
  std::vector<NamedValue> inputs;  ///< that were chosen, if some are open
  std::vector<Step> steps;
  std::vector<CallRef> commit_order;  ///< one that shows the level
  std::vector<FinalTable> finals;     ///< that the condition mentions
  std::vector<NamedValue> variables;  ///< that it mentions
  std::vector<SerialRun> serial;      ///< all orders; none: too many
  bool is_avoided_serially = false;   ///< by every serial order
  /// The first level that refuses the history, and its name for that.
  std::optional<Base> refused_by;
  Anomaly anomaly;
  std::vector<Repair> repairs;
  /// What went wrong when the run was followed on a fresh engine; never set
  /// unless txscope itself is wrong.
  std::optional<std::string> replay_problem;
};

/// What is known of one property.
struct PropertyAnswer {
  PropertyId property;  ///< of the workload
  Outcome verdict = Outcome::Undecided;
  /// Histories, or final states of an engine, seen to violate it.
  std::uint64_t violating = 0;
  /// Counting the states after each commit, too, if that was asked.
  Outcome at_every_commit = Outcome::Undecided;
};

/// What is known of something that is asked of every application.
struct BuiltinAnswer {
  Builtin which = Builtin::OneAfterTheOther;
  Outcome verdict = Outcome::Undecided;
};

/// How much was looked at.  What a method does not have stays 0.
struct Counts {
  std::uint64_t histories = 0;   ///< distinct, complete; an engine's outcomes
  std::uint64_t end_states = 0;  ///< complete, before the filter
  std::uint64_t filtered = 0;
  std::uint64_t discarded = 0;  ///< by assume
  std::uint64_t faulted = 0;    ///< ended by an error of the program
  std::uint64_t cut = 0;        ///< by a bound
  std::uint64_t blocked = 0;
  std::uint64_t explored = 0;  ///< calls of EXPLORE; an engine's states
  std::uint64_t duplicates = 0;
  // Of engines.
  std::uint64_t final_states = 0;  ///< distinct, all tables together
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;  ///< cycles of waits that were broken
  /// Codes of aborted transactions and how many transitions ended with each:
  /// SQLSTATE, a number of MariaDB's, ORA-..., SQLITE_BUSY; `raised` for RAISE.
  std::map<std::string, std::uint64_t> aborts;
  /// Codes with which transactions end for good: what no retry repairs.
  std::set<std::string> errors;
};

/// A way in which executions end, as far as conditions look at it.
struct SeenEnd {
  std::vector<NamedValue> values;
  std::uint64_t histories = 0;  ///< that can end so
};

/// What an engine found out about a workload at one level.
struct Answer {
  std::string level;         ///< "causal", "postgresql:read-committed"
  std::optional<Base> base;  ///< of a theoretical level
  Outcome outcome = Outcome::Undecided;
  /// The search came to its end and no bound cut anything.
  bool is_complete = false;
  Spent spent = Spent::Nothing;  ///< which budget ended it
  std::string cut_reason;        ///< why something was cut, if it is known
  Counts counts;
  std::vector<PropertyAnswer> properties;  ///< one per property
  std::vector<SeenEnd> ends;  ///< if they were asked for, ascending
  /// At an engine's level.  They count for the outcome only where there is no
  /// property.
  std::vector<BuiltinAnswer> builtins;
  /// The first one; if all properties were asked for one per violated one.
  /// Behind them one per built-in row that is violated.
  std::vector<Counterexample> counterexamples;
  /// Runs that show what has to exist, at most one per property.
  std::vector<Counterexample> witnesses;
  /// What was re-checked (--certify), a sentence each.
  std::vector<std::string> certified;
};

/// Nothing is known yet; every property has its row.
[[nodiscard]] Answer undecided_answer(const Workload& workload,
                                      std::string level, Spent spent);
/// Violated if a property is or a counterexample to one is known, else holds if
/// everything was seen.  Without any property the built-in rows decide.
[[nodiscard]] Outcome outcome_of(const Answer& answer);
/// Of several: violated if one is, else undecided if one is.
[[nodiscard]] Outcome outcome_of(const std::vector<Answer>& answers);

/// (1, ann, 100)
[[nodiscard]] std::string row_text(const sql::Row& row);
/// "absent", the value of a row of one column, or the row.
[[nodiscard]] std::string value_text(const RowUse& use);

}  // namespace txscope
