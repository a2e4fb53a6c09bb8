#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/attempt/attempt.h"
#include "audit/attempt/next_ids.h"
#include "audit/attempt/rule.h"
#include "model/answer.h"
#include "model/outcome.h"

namespace txscope::audit {

/// Where an explanation fails: the transaction at which the attempt that got
/// furthest could not go on.
struct FirstBad {
  /// What it would have been shown at a place where it was tried.
  struct Nearest {
    std::string after;  ///< who left the state that it was tried on; empty:
                        ///< the setup
    std::size_t statement = 0;  ///< the one that fails, from 1; 0: its commit
    std::string expected;
    std::string why;

    friend bool operator==(const Nearest&, const Nearest&) = default;
  };
  std::string transaction;
  std::size_t statement = 0;  ///< from 1; 0: its commit
  std::uint64_t line = 0;
  std::string sql;
  std::string expected;
  std::string observed;
  std::string why;
  std::vector<Nearest> nearest;
};

/// A transaction that cannot be explained together with others, as its client
/// saw it.
struct CoreTxn {
  struct Statement {
    std::string sql;
    std::string observed;
    /// Where Story tells it: what it would give there, if that is something
    /// else, and the rows that it looks at and writes.
    std::string instead = {};
    std::vector<RowUse> reads = {};
    std::vector<RowUse> writes = {};
  };
  std::string id;
  std::string session;
  std::uint64_t line = 0;
  sql::LogStatus status = sql::LogStatus::Committed;
  std::vector<Statement> statements;
  /// What others made of these rows before it, since the one before it.
  std::vector<RowUse> others = {};
};

struct Placed {
  std::uint32_t txn = 0;
  bool is_committed = true;  ///< false: an unknown one that left nothing
  /// How many that changed something come before what it saw.
  std::uint32_t snapshot = 0;
  /// The same by statement, where each sees a state of its own.
  std::vector<std::uint32_t> seen;
  /// Of a statement that saw versions of several states.
  static constexpr std::uint32_t kMixed = ~std::uint32_t{0};
  /// The rows of these, with the states where they are so.
  struct Picked {
    std::uint32_t statement = 0;
    TableId table;
    sql::Row key;
    bool is_absent = false;  ///< this life of the key was not seen
    std::uint32_t state = 0;
  };
  std::vector<Picked> picked;
  /// It needed choices that are not told here: it cannot be run again.
  bool chose = false;
};

/// What a search found out.
struct Found {
  Outcome answer = Outcome::Undecided;
  std::vector<Placed> order;  ///< evidence of Holds
  /// Of Holds: what statements have drawn from sequences, where that was open.
  std::vector<GivenIds> given;
  std::optional<FirstBad> first_bad;
  std::string reason;  ///< of Undecided
  /// Which of the ways to decide it did: the name of a row of a table.
  std::string_view strategy = {};
  /// Of Violated: those that were tried; of the others nothing was asked.
  std::vector<std::uint32_t> tried;
  /// Of Violated: the fewest transactions that still cannot be explained.
  std::vector<std::string> core;
  std::vector<CoreTxn> schedule;  ///< the core, unless it is long
  /// Without a schedule: who fails, and who last wrote what it looks at.
  std::vector<CoreTxn> around;
  /// The rows of these before the first of them; see Story.
  std::vector<RowUse> begin;
};

/// The transactions of a log, all in memory.
struct WholeLog {
  std::vector<sql::LogTransaction> transactions;
  std::vector<Txn> txns;  ///< those that have to be explained
  std::uint32_t sessions = 0;
};

/// Decides a log by trying commit orders and snapshots.
///
/// Definition.  See Rule; co contains the order of each session and, if
/// strict, real time.
/// Method.  Depth first: whoever stands first in a session may be next.  One
/// that leaves nothing behind is placed as soon as it can be explained, which
/// takes nothing from the others.  A state that was left without success is
/// remembered.
/// Exact: Violated only if no order explains the log; Undecided only if the
/// budget ends, a statement at read committed has too many choices, places for
/// transactions were tried more often than `most_tries`, or the stack ends.
[[nodiscard]] Found search(const WholeLog& log, const Tables& initial,
                           const AuditLevel& level, GeneratedIds& ids,
                           const Budget& budget,
                           std::uint64_t most_tries = ~std::uint64_t{0});

/// A transaction that committed in its place of an order; positions become
/// numbers of states, which `points` are in their order.
[[nodiscard]] Placed make_placed(std::uint32_t txn,
                                 std::span<const Position> points,
                                 Position snapshot,
                                 const SeenByStatement& seen);

/// When it committed, where times are exact: the database's time, else its end.
[[nodiscard]] std::optional<std::int64_t> committed_at(
    const sql::LogTransaction& t);

/// How a transaction's time hints at its place: when it committed, else ended.
[[nodiscard]] std::int64_t hint(const sql::LogTransaction& t);

/// What failed on one state, which `after` left.
[[nodiscard]] FirstBad::Nearest nearest(const Txn& txn,
                                        const Mismatch& mismatch,
                                        std::string after);

/// FirstBad of a transaction with this mismatch.
[[nodiscard]] FirstBad first_bad(const Txn& txn,
                                 const std::optional<Mismatch>& mismatch);

}  // namespace txscope::audit
