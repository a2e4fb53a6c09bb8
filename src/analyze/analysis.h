#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/transaction_type.h"
#include "model/answer.h"
#include "model/product/profile.h"

namespace txscope::analyze {

/// Transactions that run at the same time: numbers of Analysis::types, in
/// ascending order.
using Group = std::vector<std::size_t>;

/// What is known of transactions that run at the same time.
enum class CellVerdict : std::uint8_t {
  Safe,       ///< for all arguments and any number of calls
  Tried,      ///< with the arguments that were tried
  Race,       ///< something can happen that no serial order allows
  Undecided,  ///< it could not be run, or took too long
};
[[nodiscard]] std::string_view name(CellVerdict verdict);

/// One field of the matrix.
struct Cell {
  std::size_t a = 0;  ///< a <= b, of Analysis::types
  std::size_t b = 0;
  CellVerdict verdict = CellVerdict::Undecided;
  /// They have a table in common that one of them writes.
  bool can_meet = true;
  bool has_deadlock = false;
  std::vector<std::string> errors;  ///< codes that no serial order gives
  std::size_t tried = 0;            ///< choices of arguments
  std::string why;                  ///< of Safe and Undecided
};

/// Three transactions that could form a cycle where no pair of them does.
struct Triple {
  Group group;
  CellVerdict verdict = CellVerdict::Undecided;
  bool has_deadlock = false;
  std::size_t tried = 0;  ///< choices of arguments
  std::string why;        ///< of Undecided
};

/// What kind of thing goes wrong.
enum class FindingKind : std::uint8_t {
  Race,  ///< something that no serial order gives; it may break rules
  Deadlock,
  Error,  ///< a failure that no serial order gives
};
[[nodiscard]] std::string_view name(FindingKind kind);

/// One cause, and the shortest run that shows it.
struct RaceFinding {
  std::string id;  ///< stable while the statements stay: "lost-update-3f2a"
  FindingKind kind = FindingKind::Race;
  std::vector<std::string> rules;  ///< of the file, that it breaks
  /// Rules that nobody has written down and that the code seems to rely on, as
  /// far as it breaks them.
  std::vector<std::string> suggested;
  std::string code;      ///< of Error
  std::string sentence;  ///< what goes wrong, in one sentence
  /// How a serial order differs, the first thing.
  std::string serially;
  /// Pairs of types that show it, or three; the first is that of the run.
  std::vector<Group> groups;
  /// Calls that ran before, one after the other: they lead to a state in which
  /// one more is possible, but not two.
  std::vector<std::string> before;
  Workload workload;
  Counterexample example;  ///< without steps: nothing but the sentence
  /// The preferred one first.
  std::vector<Repair> repairs;
  bool has_tried_repairs = false;
  /// Weakest level of the product at which the pair has no race with any
  /// choice of arguments; empty: none, or it took too long.
  std::string safe_from;
  /// Why it does not count for the exit status; empty: it does.
  std::string accepted;
};

/// From which level on what goes wrong does so no more.
struct LevelTable {
  enum class Known : std::uint8_t { Wrong, Kept, Unknown };
  struct Row {
    std::string what;  ///< a rule, or the id of a finding
    bool is_rule = false;
    std::vector<Known> at;  ///< by level, with what was tried
  };
  /// Of the product, that in use first, then the stronger ones.
  std::vector<std::string> levels;
  std::vector<Row> rows;
  /// The weakest level for each transaction, if the others have theirs: proved
  /// for all arguments and any number of calls.
  struct Need {
    std::string transaction;
    std::string level;   ///< empty: none, it is no single transaction
    std::string reason;  ///< why not lower; empty: it is the lowest
  };
  std::vector<Need> needs;  ///< empty: there is no proof
};

/// What can go wrong in an application, and what was looked at.
struct Analysis {
  std::string file;
  std::string level;
  std::vector<TransactionType> types;
  std::vector<Cell> cells;
  std::vector<Triple> triples;
  std::size_t triples_left = 0;       ///< too many: these were not looked at
  std::vector<RaceFinding> findings;  ///< the worst first
  /// What a reader has to know of how it was looked at: rows that were made
  /// up, rules that break with nobody else there.
  std::vector<std::string> notes;
  std::vector<std::string> not_checked;
  /// Statements of the setup that fail, as FILE:LINE: why.
  std::vector<std::string> left_out;
  LevelTable levels;
  std::vector<std::string> suggested;  ///< names of rules that were asked, too
  std::uint64_t searches = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t rules = 0;
  bool is_cut = false;  ///< a budget ended it

  /// Why what is said of the pairs says nothing; empty: it says something.
  [[nodiscard]] std::string why_nothing() const;
  /// "buy x buy".
  [[nodiscard]] std::string name_of(const Group& group) const;
};

}  // namespace txscope::analyze
