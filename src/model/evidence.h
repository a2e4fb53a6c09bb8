#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/id.h"

namespace txscope {

/// Why one transaction comes before another.
enum class EdgeKind : std::uint8_t {
  Session,         ///< so: same session, earlier
  Realtime,        ///< rt: ended before the other started
  ReadsFrom,       ///< wr: the other read what this one wrote
  WriteOrder,      ///< ww: both write the key, this one's version is older
  AntiDependency,  ///< rw: this one read a version older than the other's
};

/// How it is known that the version of x by t1 is older than that by t2.
enum class WriteOrderReason : std::uint8_t {
  Initial,        ///< t1 is the initial transaction
  Known,          ///< the list reads of x show their order
  HappensBefore,  ///< t1 reaches t2 by the order and reads-from
  Assumed,        ///< an assumption of the case says t1 before t2
  Forced,         ///< some t3 reads x from t2 and, by the premise of the
                  ///< level, t1 precedes what t3 read
};

/// One step of a cycle.  Which fields count depends on the kind:
///   Session, Realtime   nothing else
///   ReadsFrom           `read`: an operation of `to`, external, that reads
///                       `key` from `from`
///   WriteOrder          `key`, `reason`; if Forced also `forced_by`: a read of
///                       `key` from `to` by some t3, with the premise of the
///                       level true of (from, t3)
///   AntiDependency      `read`: an operation of `from` that reads `key` from
///                       some t1 (which may be kInitial); `to` writes `key`
///                       and is no other than t1; `reason` and `forced_by`:
///                       why t1 is before `to`, as for a WriteOrder t1 -> to
struct Edge {
  TxnId from;
  TxnId to;
  EdgeKind kind = EdgeKind::Session;
  KeyId key = kNone<KeyId>;
  OpId read = kNone<OpId>;
  WriteOrderReason reason = WriteOrderReason::Initial;
  OpId forced_by = kNone<OpId>;

  friend bool operator==(const Edge&, const Edge&) = default;
};

/// Edges end to end: each `to` is the next `from`, the last `to` the first
/// `from`.  What makes a cycle a contradiction depends on the base:
///   read-uncommitted       only Session, Realtime and WriteOrder(Known)
///   read-committed         those and ReadsFrom
///   monotonic-atomic-view, read-atomic, causal
///                          those and WriteOrder(Initial, HappensBefore,
///                          Assumed, Forced by that level); or exactly one
///                          AntiDependency t3 -> t2, the rest of the cycle
///                          being the level's premise for (t2, t3): a ReadsFrom
///                          by an earlier event of t3; one ReadsFrom or order
///                          edge; a path of such edges
///   prefix                 in the graph with a start and a commit node per
///                          transaction: order and wr commit->start, ww
///                          commit->commit, rw start->commit, start->commit
///   snapshot-isolation     the same with ww commit->start
///   parallel-snapshot      at most one AntiDependency
///   serializable           any
/// A cycle that contradicts a level contradicts every stronger one.
using Cycle = std::vector<Edge>;

/// A read that no order can explain.
enum class BadReadKind : std::uint8_t {
  Aborted,       ///< G1a: only aborted transactions wrote the value
  Intermediate,  ///< G1b: only overwritten writes have the value
  ThinAir,       ///< nobody wrote it before the reader had ended, see `other`
  Internal,      ///< not what the transaction itself wrote before
  Incompatible,  ///< a list read that with `other` is no prefix of one order,
                 ///< or that splits or reorders some transaction's appends,
                 ///< or has a value more often than it was appended
  NoWriter,      ///< every candidate is excluded by the case's assumptions
};

struct BadRead {
  BadReadKind kind = BadReadKind::ThinAir;
  OpId read;
  OpId other = kNone<OpId>;  ///< Aborted, Intermediate: the write; Internal:
                             ///< the own write; ThinAir: a later write, its
                             ///< own or another's; Incompatible: the other read
                             ///< or append, if there is one
};

/// Transactions none of which can be the first of them in any commit order:
/// each comes after another of them by the level's order, or has an external
/// read all of whose possible writers are among them.  So none of them can
/// have committed, at read-committed and above; but one of them has.  It
/// stands for as many cases as the reads have combinations of writers.
struct UnfoundedSet {
  struct Member {
    TxnId txn;
    OpId read = kNone<OpId>;     ///< its read, or kNone
    TxnId after = kNone<TxnId>;  ///< a member that counts and precedes it
    friend bool operator==(const Member&, const Member&) = default;
  };
  std::vector<Member> members;  ///< ascending by transaction
};

/// One branch of a case split.
struct Assumption {
  enum class Kind : std::uint8_t {
    Before,     ///< `a` is before `b` in co; both write a common key
    Writer,     ///< external read `op` reads from `a`
    Committed,  ///< `a`, of unknown outcome, committed
    Aborted,    ///< `a`, of unknown outcome, did not commit
    Element,    ///< element `position` (from 0) of list `key` is append `op`
  };
  Kind kind = Kind::Before;
  TxnId a;
  TxnId b;
  OpId op = kNone<OpId>;
  KeyId key = kNone<KeyId>;
  std::uint32_t position = 0;

  friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// A leaf of the refutation: under these assumptions, this is impossible.
struct Case {
  std::vector<Assumption> assume;
  std::variant<Cycle, BadRead, UnfoundedSet> contradiction;
};

/// An assumption, or that it is wrong.
struct Literal {
  Assumption atom;
  bool is_negated = false;

  friend bool operator==(const Literal&, const Literal&) = default;
};

/// At least one of these is true in every execution of the history.  That needs
/// a meaning for all of them: the commit order is thought to be continued to
/// those who did not commit, in any way; a reader that did not commit reads
/// from nobody.
using Lemma = std::vector<Literal>;

/// Why a history does not have a level, in one of two forms.
///
/// By cases: a tree of case splits, written as its leaves from left to right,
/// each with the assumptions on the path from the root.  At each node all
/// branches split the same question (the order of a and b; the writer of a
/// read, one branch per candidate; the outcome of a transaction; the append
/// behind a list element) and cover every answer.  Nearly always there is one
/// leaf without assumptions.
///
/// By lemmas, where a tree would be too large: each case says that its
/// assumptions cannot all be true, in no order and with no claim to cover
/// everything.  The lemmas follow, the last one empty.  Each is implied by unit
/// propagation (its literals taken as false, there is a contradiction) from the
/// cases, the lemmas before it and what the atoms that the proof speaks of
/// mean:
///   - of two different transactions one is before the other; a transaction of
///     unknown outcome committed or did not;
///   - an external read of a register by somebody who took part has one of its
///     possible writers, who committed; an element of a list that was read has
///     one of its possible appends, whose transaction committed, and no append
///     is in two places.
/// Or it denies that a read has two different writers.
/// Source.  Goldberg and Novikov, DATE 2003; Van Gelder, ISAIM 2008; Wetzler,
/// Heule and Hunt, SAT 2014.
struct Refutation {
  std::vector<Case> cases;
  std::vector<Lemma> lemmas{};  ///< empty: by cases
};

/// Why a history has a level: the commit order (for parallel-snapshot the
/// arbitration order) of kInitial and all committed transactions, the aborted
/// ones that are judged included, and what was chosen where it was open.
struct CommitOrder {
  struct Choice {
    OpId read;
    TxnId writer;
    friend bool operator==(const Choice&, const Choice&) = default;
  };
  struct Outcome {
    TxnId txn;
    bool committed;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };
  std::vector<TxnId> order;        ///< begins with kInitial
  std::vector<Choice> reads_from;  ///< external reads with several candidates
  std::vector<Outcome> outcomes;   ///< one for every unknown transaction
};

}  // namespace txscope
