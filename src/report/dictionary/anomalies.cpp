// Anomalies: Adya's phenomena first, then the plain words for special cases.
#include "report/dictionary/entries.h"

namespace txscope::report::dictionary {
namespace {

void add_phenomena(std::vector<Entry>& entries) {
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G0",
       .summary = "dirty write: two transactions overwrite each other's writes",
       .text =
           "A cycle of ww edges (and edges of the order): t1's version of one "
           "key is older than t2's, t2's version of another older than t1's, "
           "so that the final state mixes both. It is visible only if version "
           "orders are known, as for lists.",
       .elsewhere = "Berenson et al.: P0\nJepsen, Elle: G0",
       .practice =
           "A database that shows it does not hold write locks to the end of "
           "the transaction, or replicates single writes instead of "
           "transactions.",
       .example = R"({"session":"a","ops":[["append","x",1],["append","y",1]]}
{"session":"b","ops":[["append","x",2],["append","y",2]]}
{"session":"c","ops":[["rl","x",[1,2]],["rl","y",[2,1]]]}
)",
       .forbidden_by = {{Base::ReadUncommitted, Order::None}},
       .aliases = {"dirty-write", "dirty-writes", "p0", "write-cycle"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G1a",
       .summary = "aborted read: a value of a rolled-back transaction is seen",
       .text =
           "A transaction read a value that only an aborted transaction wrote. "
           "The value never existed, and whatever was derived from it is "
           "wrong.",
       .elsewhere = "Berenson et al.: A1, a kind of dirty read\n"
                    "Jepsen, Elle: G1a",
       .practice = "Use at least read-committed. If the database already "
                   "claims that level, make sure that the client did not "
                   "mistake a commit of unknown outcome for an abort.",
       .example = R"({"session":"a","ops":[["w","x",1]],"status":"aborted"}
{"session":"b","ops":[["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}},
       .aliases = {"aborted-read", "aborted-reads", "a1", "dirty-read",
                   "dirty-reads", "p1"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G1b",
       .summary =
           "intermediate read: a value that its writer overwrote is seen",
       .text =
           "A transaction read a value that the writer replaced before it "
           "committed. Only the last write of a key in a transaction is ever "
           "visible to others.",
       .elsewhere = "Jepsen, Elle: G1b",
       .practice = "Use at least read-committed.",
       .example = R"({"session":"a","ops":[["w","x",1],["w","x",2]]}
{"session":"b","ops":[["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}},
       .aliases = {"intermediate-read", "intermediate-reads"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G1c",
       .summary = "circular information flow: transactions read each other",
       .text = "A cycle of wr and ww edges (and edges of the order): each "
               "transaction must come before the other. With an edge of the "
               "order it is a read from the future: a transaction saw what its "
               "session, or a transaction that started after it had ended, "
               "wrote only later.",
       .elsewhere = "Jepsen, Elle: G1c",
       .practice = "Either the database lets transactions read uncommitted "
                   "values, or the record of the run is wrong: check clocks "
                   "and session ids first.",
       .example = R"({"session":"a","ops":[["w","x",1],["r","y",1]]}
{"session":"b","ops":[["w","y",1],["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}},
       .aliases = {"circular-information-flow", "future-read", "g1"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G-single",
       .summary = "read skew: a cycle with exactly one anti-dependency",
       .text = "A transaction read something older than what it had to see: it "
               "missed a write (rw) by a transaction that it follows through "
               "wr, ww and the order. All forms are forbidden from "
               "parallel-snapshot-isolation upwards. Causal already forbids "
               "those without ww, and read-atomic forbids the two-transaction "
               "form below. See "
               "also fractured read, causality violation and lost update.",
       .elsewhere = "Berenson et al.: A5A read skew\n"
                    "Adya: G-single, what PL-2+ adds to PL-2\n"
                    "Jepsen, Elle: G-single",
       .practice =
           "Read everything that belongs together in one statement, or run at "
           "snapshot isolation.",
       .example = R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","x",0],["r","y",1]]}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::None}},
       .aliases = {"read-skew", "gsingle", "a5a", "g-single-item",
                   "inconsistent-read", "inconsistent-analysis"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G-nonadjacent",
       .summary = "a cycle whose anti-dependencies are never adjacent",
       .text =
           "A cycle with two or more rw edges, each followed by a wr, ww or "
           "order edge. No prefix of one sequence of commits explains all the "
           "snapshots. Every form contradicts snapshot-isolation; those "
           "without ww, such as the long fork, contradict prefix as well. "
           "Parallel-snapshot-isolation allows it.",
       .elsewhere = "Jepsen, Elle: G-nonadjacent\n"
                    "Cerone and Gotsman: what SI adds to parallel SI",
       .practice = "Typical of replicas that apply transactions in different "
                   "orders, and of commits that become visible in a different "
                   "order than they are logged.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1],["r","y",0]]}
{"session":"d","ops":[["r","x",0],["r","y",1]]}
)",
       .forbidden_by = {{Base::Prefix, Order::None}},
       .aliases = {"gnonadjacent", "nonadjacent-anti-dependencies",
                   "nonadjacent-rw", "g-si"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G2-item",
       .summary =
           "anti-dependency cycle: each transaction misses what another wrote",
       .text =
           "A cycle with at least one rw edge; if two of them are adjacent, "
           "only serializable forbids it. Every transaction made its decision "
           "on a state that another one was about to change. The usual form is "
           "write "
           "skew.",
       .elsewhere = "Adya: G2-item; its absence is PL-2.99\n"
                    "Jepsen, Elle: G2-item",
       .practice =
           "Run the transactions involved at serializable, or make one of the "
           "reads a locking read (FOR UPDATE), or let both write the same row.",
       .example =
           R"({"session":"a","ops":[["r","x",0],["r","y",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["r","y",0],["w","y",1]]}
)",
       .forbidden_by = {{Base::Serializable, Order::None}},
       .aliases = {"anti-dependency-cycle", "g2item"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "G2",
       .summary = "anti-dependency cycle, including predicates",
       .text =
           "Like G2-item, but a transaction may also have missed a row that "
           "would have matched its search condition: a phantom. Histories "
           "record keys, not conditions; a recorder shows a phantom by reading "
           "the absent row's key as null, and then it is an ordinary G2-item.",
       .elsewhere = "Adya: G2; its absence is PL-3\n"
                    "Berenson et al.: P3, A3 phantom\n"
                    "Jepsen: G2",
       .practice =
           "Use serializable; or lock the range or a parent row; or add a "
           "unique or exclusion constraint, which holds at every level.",
       .example =
           R"({"txscope":"history","version":1,"initial":{"row1":null,"row2":null}}
{"session":"a","ops":[["r","row1",null],["r","row2",null],["w","row1",1]]}
{"session":"b","ops":[["r","row1",null],["r","row2",null],["w","row2",2]]}
)",
       .forbidden_by = {{Base::Serializable, Order::None}},
       .aliases = {"phantom", "phantoms", "phantom-read", "p3", "a3",
                   "g2-predicate"}});
}

void add_bad_reads(std::vector<Entry>& entries) {
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "thin-air-read",
       .summary = "a read returned a value that no transaction wrote",
       .text =
           "No transaction of the history, committed or not, wrote the value, "
           "and it is not the initial one either. A transaction that was "
           "invoked after the reader had ended cannot have written it.",
       .elsewhere = "Elle: unjustified read",
       .practice = "Often the record is incomplete: a log was lost, a set-up "
                   "transaction was not recorded, or keys have another initial "
                   "value (use --initial, or in JSON lines the header's "
                   "\"default\"). Otherwise the database returned garbage.",
       .example = R"({"session":"a","ops":[["r","x",7]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}},
       .aliases = {"thin-air", "out-of-thin-air", "garbage-read",
                   "a-value-nobody-wrote"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "internal",
       .summary = "a transaction does not see its own write",
       .text = "A transaction wrote a key and then read it, but the read "
               "returned something else. Such a read is internal: whatever "
               "others do, it has to return the transaction's own value.",
       .elsewhere = "Jepsen, Elle: internal\nCerone et al.: the axiom INT",
       .practice =
           "Check for clients that send statements of one transaction over "
           "several connections, and for caches in front of the database.",
       .example = R"({"session":"a","ops":[["w","x",1],["r","x",0]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}},
       .aliases = {"internal-inconsistency", "internal-read", "int"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "incompatible-order",
       .summary = "two reads of a list are not prefixes of one order",
       .text =
           "A list only grows, so of two reads of it one must be a prefix of "
           "the other. If not, an element was lost, or moved, or inserted. "
           "This contradicts every level.",
       .elsewhere = "Jepsen, Elle: incompatible-order",
       .practice = "Typical of split brain: two primaries accepted writes, and "
                   "the writes of one were discarded afterwards.",
       .example = R"({"session":"a","ops":[["append","x",1]]}
{"session":"b","ops":[["append","x",2]]}
{"session":"c","ops":[["rl","x",[1,2]]]}
{"session":"d","ops":[["rl","x",[2]]]}
)",
       .forbidden_by = {{Base::ReadUncommitted, Order::None}},
       .aliases = {"lists-in-two-orders", "incompatible-orders"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "unexplained-read",
       .summary = "under every assumption some read has no possible writer",
       .text =
           "If values repeat, or outcomes are unknown, a read may have several "
           "possible writers. Here no writer is possible once all other reads "
           "are taken into account; the report shows the cases.",
       .practice = "Record unique values if you can: answers are then found "
                   "faster and easier to read.",
       .example = R"({"session":"a","ops":[["w","x",1]],"status":"aborted"}
{"session":"b","ops":[["w","x",1],["w","x",2]]}
{"session":"c","ops":[["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}},
       .aliases = {"a-read-without-a-possible-writer", "no-writer"}});
}

void add_plain_words(std::vector<Entry>& entries) {
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "non-monotonic-read",
       .summary = "a transaction's view moves backwards",
       .text = "A transaction reads from t, and then reads a version of "
               "another key that is older than what t wrote: an effect that "
               "was observed disappears again.",
       .elsewhere = "Bailis et al.: what Monotonic Atomic View forbids\n"
                    "Hermitage: OTV, observed transaction vanishes",
       .practice =
           "Typical of statements of one transaction that are answered by "
           "different replicas.",
       .example = R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","x",1],["r","y",0]]}
)",
       .forbidden_by = {{Base::MonotonicAtomicView, Order::None}},
       .aliases = {"nonmonotonic-read", "otv", "observed-transaction-vanishes",
                   "non-monotonic-view"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "non-repeatable-read",
       .summary = "two reads of a key in one transaction differ",
       .text = "Between the reads another transaction changed the key and "
               "committed. Read-committed and monotonic-atomic-view allow it.",
       .elsewhere = "Berenson et al.: A2, P2 fuzzy read",
       .practice =
           "Read once and keep the value, lock the row, or run at snapshot "
           "isolation.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",0],["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::None}},
       .aliases = {"nonrepeatable-read", "unrepeatable-read", "fuzzy-read",
                   "a2", "p2"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "fractured-read",
       .summary =
           "a read sees one part of a transaction's effects and misses another",
       .text =
           "A transaction reads one key from t and another key in a version "
           "older than t's. The two-transaction form of G-single.",
       .elsewhere = "Bailis et al. (SIGMOD 2014): fractured reads",
       .practice =
           "Read both keys in one statement, or run at read-atomic or above; "
           "REPEATABLE READ is enough on PostgreSQL and, for reads without "
           "locks, on MariaDB and MySQL.",
       .example = R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","y",0],["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::None}},
       .aliases = {"fractured-reads", "torn-read"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "stale-read",
       .summary = "a read misses a write that had already ended",
       .text = "At session order, the session missed its own write (read your "
               "writes fails). At realtime order, it missed a write of any "
               "transaction that ended before the reader started. It is a "
               "G-single whose other edge is an edge of the order.",
       .elsewhere = "Terry et al. (1994): read-your-writes, monotonic reads\n"
                    "Jepsen: stale read",
       .practice =
           "Send a client's reads to the primary after it has written, or wait "
           "at the replica for the position of its last write.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",0]]}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::Session}},
       .aliases = {"stale-reads", "read-your-writes", "read-your-own-writes",
                   "ryw", "monotonic-reads"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "causality-violation",
       .summary = "an effect is seen without its cause",
       .text =
           "A transaction follows t through several reads-from or order edges "
           "and still reads a version older than t's: the answer is there, the "
           "question is not.",
       .elsewhere = "Bouajjani et al. (POPL 2017): bad patterns of causal "
                    "consistency",
       .practice =
           "Replicate in causal order, or carry what a session has seen from "
           "replica to replica.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1],["w","y",1]]}
{"session":"c","ops":[["r","y",1],["r","x",0]]}
)",
       .forbidden_by = {{Base::Causal, Order::None}},
       .aliases = {"causality", "causal-violation",
                   "causal-consistency-violation"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "lost-update",
       .summary = "two transactions change the same version of a key",
       .text =
           "Both read a key in the same version and both write it; the second "
           "write ignores the first one. Two increments of a counter give one. "
           "Prefix allows it, parallel-snapshot-isolation and "
           "snapshot-isolation do not.",
       .elsewhere = "Berenson et al.: P4\nJepsen, Elle: lost-update",
       .practice =
           "Compute in the statement (SET n = n - 1), lock the row with FOR "
           "UPDATE when reading it, or make the update conditional on a "
           "version column; or run at snapshot isolation and retry what fails.",
       .example = R"({"session":"a","ops":[["r","x",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["w","x",2]]}
)",
       .forbidden_by = {{Base::ParallelSnapshotIsolation, Order::None}},
       .aliases = {"lost-updates", "p4"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "long-fork",
       .summary = "two observers see two writes in opposite orders",
       .text = "One reader sees that x has changed but not y; another sees "
               "that y has changed but not x. The state forked, and each "
               "branch was observed. This is the usual form of G-nonadjacent.",
       .elsewhere = "Sovran et al. (SOSP 2011): long fork\n"
                    "Cerone et al.: what parallel SI allows and SI does not\n"
                    "Jepsen: long-fork workload",
       .practice =
           "Read from one node, or from replicas that apply commits in the "
           "primary's order and make them visible in that order.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1],["r","y",0]]}
{"session":"d","ops":[["r","x",0],["r","y",1]]}
)",
       .forbidden_by = {{Base::Prefix, Order::None}},
       .aliases = {"long-forks"}});
  entries.push_back(
      {.kind = Kind::Anomaly,
       .name = "write-skew",
       .summary = "each of two transactions changes what the other relied on",
       .text =
           "Both read x and y; one writes x, the other y. Each kept the rule "
           "on the state it saw, together they broke it: two doctors go off "
           "call at once. Only serializable forbids it.",
       .elsewhere = "Berenson et al.: A5B\nJepsen, Elle: a G2-item",
       .practice =
           "Serializable for the transactions involved; or FOR UPDATE on the "
           "rows that the rule reads; or one row that both must write.",
       .example =
           R"({"session":"a","ops":[["r","x",0],["r","y",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["r","y",0],["w","y",1]]}
)",
       .forbidden_by = {{Base::Serializable, Order::None}},
       .aliases = {"a5b"}});
}

}  // namespace

std::vector<Entry> anomaly_entries() {
  std::vector<Entry> entries;
  add_phenomena(entries);
  add_bad_reads(entries);
  add_plain_words(entries);
  return entries;
}

}  // namespace txscope::report::dictionary
