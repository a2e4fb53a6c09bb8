// Levels and orders.  The example of a level is a history that it allows and
// the next stronger ones forbid.
#include "report/dictionary/entries.h"

namespace txscope::report::dictionary {
namespace {

// What the level table already knows is not said twice.
Entry level_entry(Base base, Entry entry) {
  entry.kind = Kind::Level;
  entry.name = name(base);
  const auto others = aliases(base);
  entry.aliases.assign(others.begin(), others.end());
  return entry;
}

}  // namespace

std::vector<Entry> level_entries() {
  std::vector<Entry> entries;
  const auto add = [&](Base base, Entry entry) {
    entries.push_back(level_entry(base, std::move(entry)));
  };
  add(Base::ReadUncommitted,
      {.summary = "writes of two transactions do not interleave",
       .text =
           "Nothing is promised about what a transaction reads: it may see "
           "writes that are not committed yet, or never will be. The versions "
           "of all keys together have one order, so of two transactions that "
           "write the same two keys one is later on both (no G0). Only lists "
           "show their version order; a history of registers alone always "
           "satisfies this level.",
       .elsewhere = "Adya: PL-1\n"
                    "ANSI SQL: READ UNCOMMITTED\n"
                    "PostgreSQL: READ UNCOMMITTED is READ COMMITTED\n"
                    "MySQL, MariaDB: READ UNCOMMITTED",
       .practice =
           "Use it only where a wrong answer does no harm, such as a progress "
           "display.",
       .example = R"({"session":"a","ops":[["w","x",1]],"status":"aborted"}
{"session":"b","ops":[["r","x",1]]}
)",
       .forbidden_by = {{Base::ReadCommitted, Order::None}}});
  add(Base::ReadCommitted,
      {.summary = "only final values of committed transactions are read",
       .text =
           "A read returns a value that a committed transaction left behind: "
           "no aborted (G1a), intermediate (G1b) or invented value, and no two "
           "transactions that read from each other (G1c). Each read may come "
           "from another moment, even an earlier one. This is Adya's "
           "definition; what the axiomatic papers call read committed is "
           "monotonic-atomic-view here.",
       .elsewhere =
           "Adya: PL-2\n"
           "Crooks et al.: the commit test PREREAD\n"
           "Jepsen, Elle: read-committed\n"
           "ANSI SQL: READ COMMITTED asks for this; products give more",
       .practice =
           "Read a row and decide on it in one statement, or lock it with "
           "SELECT ... FOR UPDATE; between two statements anything may change.",
       .example = R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","x",1],["r","y",0]]}
)",
       .forbidden_by = {{Base::MonotonicAtomicView, Order::None}}});
  add(Base::MonotonicAtomicView,
      {.summary =
           "once an effect of a transaction is seen, all of them are seen",
       .text = "Read-committed, and within a transaction the view only moves "
               "forward: after a read from t, later reads return nothing older "
               "than what t wrote. Earlier reads may still have missed t. A "
               "fresh snapshot for each statement provides this level.",
       .elsewhere =
           "Bailis et al. (VLDB 2014): Monotonic Atomic View\n"
           "Biswas and Enea (OOPSLA 2019), AWDIT, Plume: Read Committed\n"
           "dbcop: committed-read\n"
           "PostgreSQL, Oracle, YugabyteDB: READ COMMITTED (tested by "
           "Hermitage); their locking statements differ in detail",
       .practice = "Do not combine the results of two statements as if they "
                   "had been true at the same time; for that, use one "
                   "statement, or snapshot isolation.",
       .example = R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","x",0],["r","y",1]]}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::None}}});
  add(Base::ReadAtomic,
      {.summary = "all effects of a transaction are seen, or none",
       .text =
           "If a transaction reads from t, or t precedes it by the order, none "
           "of its reads returns a version older than what t wrote, whatever "
           "the order of the reads. What t itself had seen may be missing.",
       .elsewhere = "Bailis et al. (SIGMOD 2014): Read Atomic, RAMP\n"
                    "Cerone et al. (CONCUR 2015), Biswas and Enea, AWDIT, "
                    "Plume: Read Atomic\n"
                    "dbcop: atomic-read",
       .practice =
           "Enough to keep both ends of a relation, or an index and its table, "
           "in step.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1],["w","y",1]]}
{"session":"c","ops":[["r","y",1],["r","x",0]]}
)",
       .forbidden_by = {{Base::Causal, Order::None}}});
  add(Base::Causal,
      {.summary = "a transaction that sees an effect also sees its causes",
       .text =
           "A transaction sees everything that it follows through any chain of "
           "reads-from and order. Unrelated writes may be seen in different "
           "orders by different readers, and concurrent writes of one key may "
           "overwrite each other unseen.",
       .elsewhere =
           "Biswas and Enea, AWDIT, Plume, dbcop: Causal Consistency\n"
           "Cerone et al.: Causal Consistency; elsewhere: Transactional Causal "
           "Consistency\n"
           "MongoDB: causally consistent sessions with majority read and write "
           "concern aim at it",
       .practice =
           "The strongest level that stays available when replicas cannot "
           "talk. Counters and uniqueness need more: merge concurrent updates, "
           "or go to one of the snapshot levels.",
       .example = R"({"session":"a","ops":[["r","x",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["w","x",2]]}
)",
       .forbidden_by = {{Base::ParallelSnapshotIsolation, Order::None}}});
  add(Base::Prefix,
      {.summary = "every transaction sees a prefix of one sequence of commits",
       .text =
           "All commits are in one sequence, and what a transaction reads is "
           "the state after some prefix of it. All observers agree on the "
           "order of events. Nothing keeps two transactions with the same "
           "snapshot from overwriting each other: updates can be lost.",
       .elsewhere = "Biswas and Enea, dbcop: Prefix Consistency\n"
                    "Burckhardt, Cerone et al.: (consistent) prefix",
       .practice =
           "Reading from a lagging replica that replays the log in order gives "
           "this level. Make updates conditional on the version they read.",
       .example = R"({"session":"a","ops":[["r","x",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["w","x",2]]}
)",
       .forbidden_by = {{Base::ParallelSnapshotIsolation, Order::None}}});
  add(Base::ParallelSnapshotIsolation,
      {.summary =
           "a snapshot per transaction, no lost updates, no common order",
       .text = "Causal, and of any two transactions that write the same key "
               "one sees the other, so updates are not lost. Observers may "
               "disagree on the "
               "order of unrelated commits: long forks are possible. Neither "
               "stronger nor weaker than prefix.",
       .elsewhere =
           "Sovran et al. (SOSP 2011, Walter): Parallel Snapshot Isolation\n"
           "Cerone et al.: Parallel SI\n"
           "Amazon RDS for PostgreSQL multi-AZ clusters: shows long forks "
           "(Jepsen 2025)",
       .practice =
           "Do not let two readers draw conclusions from the order in which "
           "they saw unrelated changes.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1],["r","y",0]]}
{"session":"d","ops":[["r","x",0],["r","y",1]]}
)",
       .forbidden_by = {{Base::Prefix, Order::None}}});
  add(Base::SnapshotIsolation,
      {.summary =
           "reads from one snapshot; the first of two writers of a key wins",
       .text = "A transaction reads from the state after some prefix of the "
               "commits, and commits only if no other transaction has written "
               "a key that it writes since that snapshot. What it only read "
               "may have changed: "
               "write skew is possible.",
       .elsewhere =
           "Berenson et al. (SIGMOD 1995); Adya: PL-SI, with realtime order\n"
           "PostgreSQL: REPEATABLE READ\n"
           "Oracle: SERIALIZABLE\n"
           "SQL Server: SNAPSHOT\n"
           "YugabyteDB, TiDB: REPEATABLE READ\n"
           "MariaDB: REPEATABLE READ with innodb_snapshot_isolation=ON comes "
           "near it; MySQL's does not",
       .practice =
           "Look for rules that span rows which different transactions write. "
           "Protect them by SELECT ... FOR UPDATE on what the rule reads, by "
           "one row that stands for the rule, or by serializable.",
       .example =
           R"({"session":"a","ops":[["r","x",0],["r","y",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["r","y",0],["w","y",1]]}
)",
       .forbidden_by = {{Base::Serializable, Order::None}}});
  add(Base::Serializable,
      {.summary = "as if the transactions had run one after the other",
       .text =
           "There is an order such that running the transactions one after the "
           "other gives every read the value that it returned. The order has "
           "to agree with the order of each session (unless --order none), but "
           "with real time only at --order realtime: strict serializability.",
       .elsewhere = "Adya: PL-3, with order none; Papadimitriou (1979)\n"
                    "Jepsen, Elle: serializable (order none), "
                    "strong-session-serializable, strict-serializable\n"
                    "PostgreSQL, CockroachDB, YugabyteDB: SERIALIZABLE\n"
                    "MySQL, MariaDB, SQL Server: SERIALIZABLE, by locks\n"
                    "Oracle's SERIALIZABLE is snapshot isolation\n"
                    "SQLite: its only level between connections",
       .practice =
           "Be ready to run a transaction again after a serialization failure "
           "(SQLSTATE 40001, MySQL 1213).",
       .example =
           R"({"session":"a","ops":[["w","x",1]],"start":1,"end":2}
{"session":"b","ops":[["r","x",0]],"start":3,"end":4}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::Realtime}}});
  return entries;
}

std::vector<Entry> order_entries() {
  return {
      {.kind = Kind::Order,
       .name = "none",
       .summary = "transactions are ordered only by reads-from",
       .text =
           "Sessions do not count: a transaction may miss what its own session "
           "did before. Adya, Crooks and Elle mean this when they name a level "
           "without a prefix.",
       .elsewhere = "Jepsen, Elle: the bare names, such as serializable",
       .practice = "Choose it to compare with results of those tools, or if a "
                   "session is a pool of unrelated connections.",
       .aliases = {"no-order", "order-none"}},
      {.kind = Kind::Order,
       .name = "session",
       .summary = "transactions of one session happen in their order",
       .text =
           "The order contains so: t precedes every later transaction of its "
           "session. So from read-atomic upwards a session sees its own "
           "writes. Bare level names mean this order, as in the axiomatic "
           "papers, AWDIT, Plume, PolySI and dbcop. As a suffix of an anomaly "
           "it means that the cycle needs such an edge and does not exist at "
           "order none.",
       .elsewhere = "Jepsen, Elle: strong-session-X; anomalies with -process",
       .practice =
           "If only this fails, look for requests of one client that go to "
           "different replicas or through a connection pool.",
       .example = R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",0]]}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::Session}},
       .aliases = {"session-order", "order-session", "strong-session",
                   "process"}},
      {.kind = Kind::Order,
       .name = "realtime",
       .summary = "a transaction that ended before another started precedes it",
       .text =
           "The order contains so and, for any two sessions, t before u if t "
           "ended before u started. It needs start and end times from one "
           "clock, or from clocks whose error is counted into the intervals. A "
           "transaction of unknown outcome has no end. As a suffix of an "
           "anomaly it means that the cycle needs such an edge and does not "
           "exist at session order.",
       .elsewhere =
           "Jepsen, Elle: strong-X, strict-serializable; anomalies with "
           "-realtime\n"
           "Google Spanner: external consistency",
       .practice =
           "If only this fails, look for reads from lagging replicas and for "
           "clocks that drift.",
       .example = R"({"session":"a","ops":[["w","x",1]],"start":10,"end":20}
{"session":"b","ops":[["r","x",0]],"start":30,"end":40}
)",
       .forbidden_by = {{Base::ReadAtomic, Order::Realtime}},
       .aliases = {"real-time", "realtime-order", "order-realtime", "rt",
                   "strict", "external-consistency"}},
  };
}

}  // namespace txscope::report::dictionary
