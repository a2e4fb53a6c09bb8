#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

/// The evidence for an answer, as plain values: the same for every verb and
/// every language.  All texts are as the user wrote them.
namespace txscope::evidence {

/// One row of a table at one point in time.
struct TableRow {
  std::vector<std::string> cells;
  std::vector<bool> changed;  ///< by the step that was just taken; by cell
  /// Written, but not committed: by this transaction; empty: committed.
  std::string pending;
  bool is_gone = false;  ///< by the step that was just taken
};

struct Table {
  std::string name;                  ///< empty: registers, variables
  std::vector<std::string> columns;  ///< may be unknown: empty
  std::vector<TableRow> rows;
};

/// One thing that happens in one lane.
struct Step {
  enum class Kind : std::uint8_t {
    Begin,
    Statement,
    Wait,
    Error,
    Commit,
    Rollback,
    Action,  ///< of a protocol
  };
  Kind kind = Kind::Statement;
  std::size_t lane = 0;
  std::string transaction;
  std::string text;                ///< verbatim, on one line
  std::string seen;                ///< its result; for an Error, the message
  std::string code;                ///< for an Error
  Place place;                     ///< line 0: none
  std::vector<std::string> notes;  ///< "does not see atm.withdraw"
  std::vector<std::string> waits_for;  ///< names of lanes
  bool takes_snapshot = false;
  /// All tables afterwards; without it, nothing is known about them.
  std::vector<Table> state;
};

/// From one step to a later one, or to an earlier one.
struct Arrow {
  enum class Kind : std::uint8_t {
    ReadsFrom,    ///< the second reads what the first wrote
    Overwritten,  ///< the second writes what the first had read
    Message,
  };
  Kind kind = Kind::ReadsFrom;
  std::size_t from = 0;  ///< of `steps`
  std::size_t to = 0;
  std::string label;  ///< "accounts(1)"
};

/// Why one transaction comes before another.
struct Edge {
  std::string from;
  std::string to;
  std::string kind;    ///< so, rt, wr, ww, rw
  std::string key;     ///< may be empty
  std::string reason;  ///< in words
};

/// What should be true, and is not.
struct Rule {
  std::string title;  ///< invariant "covered"
  std::string text;   ///< as it was written
  std::string value;  ///< "false", "NULL"
  /// The same with numbers: "4 <= 3"; empty: it is not a comparison.
  std::string numbers;
  Place place;
};

/// The same transactions one after the other.
struct SerialOrder {
  std::string order;  ///< "a.buy, then b.buy"
  std::string result;
  bool breaks = false;
};

/// One line of the user's text, before and after; an empty side: there is none.
struct ChangedLine {
  Place place;  ///< of the line as it is
  std::optional<std::string> before;
  std::optional<std::string> after;
};

struct Repair {
  std::string what;
  std::string cost;
  bool is_tried = false;
  std::vector<ChangedLine> diff;
  std::string leaves = {};  ///< what it does not repair
};

/// What was expected, and what was seen instead.
struct Mismatch {
  std::string statement;
  std::string expected;
  std::string observed;
};

/// A word and what belongs to it: "breaks", "covered".
struct Fact {
  std::string label;
  std::string text;
};

/// Transactions side by side, in the order of time.
struct Run {
  std::vector<std::string> lanes;  ///< names of sessions
  std::vector<Step> steps;
  std::vector<Arrow> arrows;
  std::vector<Table> end;           ///< the final state
  std::vector<SerialOrder> serial;  ///< what serial orders produce instead
  std::string serial_says;          ///< "No serial order produces this."
  /// A cycle of dependencies between the transactions; may be empty.
  std::vector<Edge> cycle;
};

/// Why no order of the transactions explains what their clients saw.
struct Refutation {
  std::vector<Edge> cycle;  ///< each must come before the next
  std::vector<Mismatch> mismatches;
  Run transactions;  ///< involved; their order in time may be unknown
};

/// The states of a protocol, one after the other.
struct Trace {
  std::vector<std::string> lanes;  ///< names of processes
  std::vector<Step> steps;         ///< each with the variables afterwards
  std::vector<Arrow> arrows;       ///< messages
  /// For an infinite behaviour: the state that follows its last step.
  std::optional<std::size_t> loop;
};

/// A formula which says that nothing breaks a rule, for a solver to check.
struct Formula {
  std::string language;  ///< "smt-lib 2"
  std::string expected;  ///< "unsat"
  std::string text;
};

/// An order of the committed transactions that explains every answer.
struct CommitOrder {
  std::vector<std::string> transactions;
};

using Evidence =
    std::variant<std::monostate, Run, Refutation, Trace, Formula, CommitOrder>;

/// The evidence for one or more answers of a report.
struct Shown {
  /// Stays the same for the same cause, even if lines move: "lost-update-3f2a".
  std::string id;
  std::string kind;      ///< "lost-update", "deadlock", "not-explained"
  std::string sentence;  ///< in plain words
  std::string level;
  Place place;  ///< where an editor should show it
  std::optional<Rule> rule;
  std::vector<Fact> facts;
  Evidence evidence;
  std::vector<Repair> repairs;
  std::string word;  ///< an entry of `explain`; may be empty
};

}  // namespace txscope::evidence
