// Words of the definitions, and levels that txscope does not decide.
#include "report/dictionary/entries.h"

namespace txscope::report::dictionary {
namespace {

Entry term(std::string_view name, std::string_view summary,
           std::string_view text, std::vector<std::string_view> aliases = {}) {
  return {.kind = Kind::Term,
          .name = name,
          .summary = summary,
          .text = text,
          .aliases = std::move(aliases)};
}

Entry other(std::string_view name, std::string_view summary,
            std::string_view text, std::string_view practice,
            std::vector<std::string_view> aliases = {}) {
  return {.kind = Kind::Other,
          .name = name,
          .summary = summary,
          .text = text,
          .practice = practice,
          .aliases = std::move(aliases)};
}

}  // namespace

std::vector<Entry> term_entries() {
  return {
      term("so", "session order: t and a later transaction of its session",
           "An so edge means that one client ran the two transactions one "
           "after the other. The initial transaction precedes every session. "
           "Used at orders session and realtime.",
           {"program-order-of-sessions"}),
      term("wr", "reads-from: the second read what the first wrote",
           "An external read takes its value from the last write of that key "
           "in a committed transaction, or from the initial one. If values "
           "repeat, the writer may be unknown, and the search has to find it.",
           {"reads-from", "rf", "read-dependency"}),
      term("ww",
           "write order: both write the key, and the first one's version is "
           "older",
           "In lists the reads show the order. In registers it has to be "
           "derived: t1's version must be older than t2's if t1 comes before "
           "t2 anyway, or if a reader of t2's version had to see t1.",
           {"write-order", "write-dependency", "version-order"}),
      term("rw",
           "anti-dependency: the first read a version older than the "
           "second's",
           "The reader missed the write, so in a serial order it comes before "
           "the writer. Levels differ in which cycles with rw edges they "
           "allow.",
           {"anti-dependency", "antidependency", "fr", "from-read"}),
      term("40001",
           "PostgreSQL's code for a serialization failure: run it again",
           "At repeatable-read a transaction fails with it when it writes or "
           "locks a row that was written since its snapshot; at serializable "
           "also when its reads and writes could close a dangerous cycle. It "
           "had no effect; the same transaction may succeed when it is run "
           "again from its first statement. MySQL and MariaDB use the state "
           "40001 for deadlocks.",
           {"serialization-failure", "could-not-serialize-access",
            "sqlstate-40001", "ora-08177"}),
      term("deadlock", "transactions wait for locks of each other",
           "The database aborts one of them, which has to be run again: "
           "PostgreSQL does so after deadlock_timeout, with the code 40P01; "
           "MySQL and MariaDB at once, with the error 1213 (state 40001). "
           "Locking rows in the same order everywhere avoids most deadlocks.",
           {"40p01", "deadlock-detected", "1213", "er-lock-deadlock",
            "sqlstate-40p01", "ora-00060"}),
      term("1020", "MariaDB's code for a record that changed since it was read",
           "With innodb_snapshot_isolation=ON, a write or locking read of a "
           "row fails with it if the row was changed since the transaction's "
           "read view. It corresponds to 40001 in PostgreSQL: run the "
           "transaction again.",
           {"er-checkread", "record-has-changed"}),
      term("SQLITE_BUSY", "SQLite's code for a database that somebody writes",
           "SQLite has one writer at a time. Who wants to write while another "
           "does, or after it has read what was changed since, fails with it; "
           "nothing of the transaction has happened. BEGIN IMMEDIATE asks for "
           "the right to write at once, and then waits.",
           {"sqlite-busy-snapshot", "sqlite-busy-recovery",
            "sqlite-busy-timeout", "sqlite-locked", "database-is-locked"}),
      term("retry", "run a failed transaction again, from its first statement",
           "After 40001, 40P01, 1213 or 1020 the transaction had no effect. "
           "Begin it again, read again, decide again: values that the failed "
           "run had read are stale. Bound the number of attempts, wait a "
           "little longer each time, and do not do what an abort cannot undo "
           "(mails, payments) before the transaction has committed.",
           {"retries", "retry-loop", "transaction-retry"}),
      term("co", "commit order: a total order of the committed transactions",
           "Every level requires one that contains wr and the order. If a "
           "transaction reads x from t1, and t2 is another writer of x, the "
           "level says when t2 must be before t1. A verdict 'holds' comes with "
           "such an order.",
           {"commit-order"}),
      term(
          "vis", "visibility: what a transaction's snapshot contains",
          "Used to define parallel-snapshot-isolation: it is transitive and "
          "contains reads-from and the order; each read takes the last visible "
          "writer in ar; of two writers of one key, one sees the other.",
          {"visibility"}),
      term("ar", "arbitration: the total order that decides who wrote last",
           "What the commit order is called in definitions by visibility.",
           {"arbitration"}),
      term("po", "program order: the operations of one transaction",
           "The order in which a transaction did its operations. Apart from "
           "internal reads, only monotonic-atomic-view depends on it.",
           {"program-order"}),
      term("external-read", "a read that has to come from another transaction",
           "A read of a key that the transaction has not written before. A "
           "read of a key that it has written is internal and must return that "
           "value.",
           {"external"}),
      term("init", "the initial transaction",
           "It writes the initial value of every key and precedes everything "
           "in every order.",
           {"initial-transaction", "initial"}),
      term("unknown", "a transaction whose client never learnt the outcome",
           "It may count as committed or aborted, whichever explains the "
           "history; if another transaction read from it, it committed. It has "
           "no end, so no realtime edge leaves it.",
           {"info", "unknown-outcome", "indeterminate"}),
  };
}

std::vector<Entry> other_entries() {
  return {
      other("repeatable-read", "means something else in every tradition",
            "Adya's PL-2.99 forbids G2-item and allows phantoms; PostgreSQL's "
            "is snapshot isolation, which allows G2-item; MySQL's matches no "
            "standard level: plain reads come from a snapshot, writes and "
            "locking reads from the latest state, so updates can be lost.",
            "Say what you mean: snapshot-isolation for PostgreSQL, TiDB and "
            "YugabyteDB; serializable for PL-2.99 on histories of keys, where "
            "there are no predicates.",
            {"rr", "pl-2.99"}),
      other("cursor-stability", "no lost update through a cursor",
            "A row cannot change while a cursor stands on it. Histories do not "
            "record cursors, so txscope does not decide it.",
            "Lost updates as such are forbidden from "
            "parallel-snapshot-isolation upwards.",
            {"pl-cs", "p4c"}),
      other("consistent-view", "Adya's PL-2+ and its neighbours",
            "PL-2+ forbids G1 and G-single; monotonic view (PL-2L), monotonic "
            "snapshot reads and forward consistent view lie nearby. "
            "Parallel-snapshot-isolation with order none forbids the same "
            "cycles as PL-2+ on keys.",
            "Check parallel-snapshot-isolation with --order none instead.",
            {"pl-2+", "monotonic-view", "pl-2l", "monotonic-snapshot-read",
             "pl-msr", "forward-consistent-view", "pl-fcv"}),
      other("update-serializable",
            "serializable except for read-only transactions",
            "The writing transactions are serializable together with any one "
            "reader, but two readers may see different orders.",
            "serializable is the nearest stronger level.",
            {"pl-3u", "update-serializability"}),
      other("linearizable", "strict serializability of single operations",
            "Every operation takes effect at one moment between its start and "
            "its end. It is strict-serializable if every transaction is one "
            "operation on one key.",
            "Check --level strict-serializable.",
            {"linearizability", "linearisable", "atomic-register"}),
      other("eventual-consistency",
            "says what happens once writes have stopped",
            "Replicas agree eventually. A finite history cannot contradict "
            "this, so there is nothing to check.",
            "Check read-committed or causal instead.", {"eventual"}),
  };
}

}  // namespace txscope::report::dictionary
