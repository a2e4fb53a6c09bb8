#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "robust/proof/symbolic.h"

namespace txscope::robust {

/// One thing that a transaction reads or writes, for a row that is unknown.
///
/// Invariant.  If a run reads or writes a row, some model makes `executed` (and
/// for a write `takes_effect`) true and `row` that row.  (Over-approximation.)
struct Access {
  enum class Kind : std::uint8_t { Read, Insert, Update, Delete };
  Kind kind = Kind::Read;
  TableId table;
  std::vector<bool> columns;  ///< read or written
  SymbolRow row;              ///< as it was; of Insert: as it becomes
  SymbolRow after;            ///< of Update
  smt::Term executed;         ///< the statement runs
  smt::Term holds;            ///< `row` is one that it looks for
  smt::Term key_holds;        ///< the same, by its key alone
  /// At most one row: the whole primary key is given.  Then `found` says
  /// whether it is there and looked for: found implies holds.
  bool is_exact = false;
  /// It asks for more than the key: a row may be there and not be found.
  bool is_conditional = false;
  smt::Term found;
  /// Nothing that the transaction itself wrote is in its way: `row` is as the
  /// state has it that the transaction reads.
  bool sees_state = true;
  /// Columns that WHERE sets equal to something without columns.
  std::vector<bool> fixed;
  /// SELECT min(column) or max(column), and nothing else: its result.
  struct Extreme {
    bool is_min = true;
    std::uint32_t column = 0;
    Symbol result;
  };
  std::optional<Extreme> extreme;
  /// A SELECT .. FOR UPDATE or SHARE: at an engine nobody else writes the row
  /// until the transaction ends.
  bool locks = false;
  /// One row, by the whole primary key: `is_exact`, or what that looks for
  /// where it does not find it.
  bool is_keyed = false;
  /// Which state a statement at read committed looks at.
  enum class Sight : std::uint8_t {
    Snapshot,  ///< that of its beginning
    Target,    ///< finds rows in that; of those it locks, the latest version
    Latest,    ///< what has committed when it looks: keys
  };
  Sight sight = Sight::Snapshot;
  std::uint32_t statement = 0;  ///< number within the transaction
  std::uint32_t line = 0;

  [[nodiscard]] bool is_write() const { return kind != Kind::Read; }
  /// It meets what committed after its statement began.
  [[nodiscard]] bool is_late() const {
    return is_write() || sight != Sight::Snapshot;
  }
};

/// What a transaction type can do, once, with arguments that are unknown.
/// Branches are conditions of accesses; a loop has two rounds with arbitrary
/// variables at the head of each: what any two accesses of any rounds can do,
/// two rounds can.  An aborted transaction writes nothing.
struct Summary {
  std::string name;
  std::vector<Access> accesses;
  smt::Term facts;    ///< what is true of every run
  smt::Term commits;  ///< the run commits
  /// Numbers drawn: no two transactions get the same.
  struct Draw {
    std::uint32_t sequence = 0;
    smt::Term value;
  };
  std::vector<Draw> draws;
};

[[nodiscard]] Summary summarize(const sql::Application& application,
                                const sql::Routine& routine, Symbols& symbols);

}  // namespace txscope::robust
