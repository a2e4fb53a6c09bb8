----------------------------- MODULE Percolator -----------------------------
(***************************************************************************)
(* Snapshot isolation by locks and timestamps in the data itself, after    *)
(* the description of Percolator (Peng and Dabek, OSDI 2010).  A client    *)
(* takes a start timestamp, reads, then prewrites: it locks each key it    *)
(* writes, and gives up if the key is locked or was committed after its    *)
(* start.  With all locks held it takes a commit timestamp and replaces    *)
(* its locks by commit records, one key at a time.                         *)
(*                                                                         *)
(* A read at timestamp s must wait while the key has a lock from before s: *)
(* that transaction may be about to commit with a timestamp below s.       *)
(* Readers that do not wait see half of a transaction.                     *)
(*                                                                         *)
(* Transactions that write do so to every key, without reading; the others *)
(* read every key.                                                         *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Writers, Readers, Keys, Nobody, WaitForLocks
Txns == Writers \cup Readers

VARIABLES
  clock,   \* the timestamp oracle
  start,   \* of each transaction; 0 before it has one
  commit,  \* of each writer: its commit timestamp; 0 before it has one
  lock,    \* of each key: a writer or Nobody
  data,    \* of each key: commit records [at, value]
  ops,     \* of each transaction: its operations
  stage    \* of each transaction: idle, running, committing, committed, aborted
vars == <<clock, start, commit, lock, data, ops, stage>>

T == INSTANCE Txscope

Init ==
  /\ clock = 0
  /\ start = [t \in Txns |-> 0]
  /\ commit = [t \in Writers |-> 0]
  /\ lock = [k \in Keys |-> Nobody]
  /\ data = [k \in Keys |-> {[at |-> 0, value |-> 0]}]
  /\ ops = [t \in Txns |-> <<>>]
  /\ stage = [t \in Txns |-> "idle"]

Begin(t) ==
  /\ stage[t] = "idle"
  /\ clock' = clock + 1
  /\ start' = [start EXCEPT ![t] = clock + 1]
  /\ stage' = [stage EXCEPT ![t] = "running"]
  /\ UNCHANGED <<commit, lock, data, ops>>

\* The newest value that was committed at or before a timestamp.
ValueAt(k, s) ==
  (CHOOSE d \in data[k] : /\ d.at <= s
                          /\ \A e \in data[k] : e.at <= s => e.at <= d.at).value

Read(t, k) ==
  /\ t \in Readers
  /\ stage[t] = "running"
  /\ \A i \in DOMAIN ops[t] : ops[t][i].key # k
  /\ (WaitForLocks /\ lock[k] # Nobody) => start[lock[k]] > start[t]
  /\ ops' = [ops EXCEPT ![t] = Append(@, T!Read(k, ValueAt(k, start[t])))]
  /\ UNCHANGED <<clock, start, commit, lock, data, stage>>

Finish(t) ==
  /\ t \in Readers
  /\ stage[t] = "running"
  /\ Len(ops[t]) = Cardinality(Keys)
  /\ stage' = [stage EXCEPT ![t] = "committed"]
  /\ UNCHANGED <<clock, start, commit, lock, data, ops>>

IsFree(t, k) ==
  /\ lock[k] = Nobody
  /\ \A d \in data[k] : d.at < start[t]

Prewrite(t, k) ==
  /\ t \in Writers
  /\ stage[t] = "running"
  /\ lock[k] # t
  /\ IsFree(t, k)
  /\ lock' = [lock EXCEPT ![k] = t]
  /\ UNCHANGED <<clock, start, commit, data, ops, stage>>

\* Somebody was faster: all locks are given back.
GiveUp(t) ==
  /\ t \in Writers
  /\ stage[t] = "running"
  /\ \E k \in Keys : lock[k] # t /\ ~IsFree(t, k)
  /\ stage' = [stage EXCEPT ![t] = "aborted"]
  /\ lock' = [k \in Keys |-> IF lock[k] = t THEN Nobody ELSE lock[k]]
  /\ UNCHANGED <<clock, start, commit, data, ops>>

\* The writer's value is its start timestamp, which nobody else writes.
Decide(t) ==
  /\ t \in Writers
  /\ stage[t] = "running"
  /\ \A k \in Keys : lock[k] = t
  /\ clock' = clock + 1
  /\ commit' = [commit EXCEPT ![t] = clock + 1]
  /\ stage' = [stage EXCEPT ![t] = "committing"]
  /\ UNCHANGED <<start, lock, data, ops>>

Publish(t, k) ==
  /\ t \in Writers
  /\ stage[t] = "committing"
  /\ lock[k] = t
  /\ lock' = [lock EXCEPT ![k] = Nobody]
  /\ data' = [data EXCEPT ![k] =
       @ \cup {[at |-> commit[t], value |-> start[t]]}]
  /\ ops' = [ops EXCEPT ![t] = Append(@, T!Write(k, start[t]))]
  /\ stage' = [stage EXCEPT ![t] =
       IF \E other \in Keys \ {k} : lock[other] = t THEN @ ELSE "committed"]
  /\ UNCHANGED <<clock, start, commit>>

Next == \E t \in Txns : \/ Begin(t) \/ Finish(t) \/ GiveUp(t) \/ Decide(t)
                        \/ \E k \in Keys : \/ Read(t, k) \/ Prewrite(t, k)
                                           \/ Publish(t, k)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* A writer counts as soon as it has decided: what it has not published yet
\* is as good as written.
Decided == {t \in Txns : stage[t] \in {"committing", "committed"}}
WritesOf(t) ==
  LET missing == {k \in Keys : lock[k] = t}
      more[S \in SUBSET missing] ==
        IF S = {} THEN <<>>
        ELSE LET k == CHOOSE k \in S : TRUE
             IN  Append(more[S \ {k}], T!Write(k, start[t]))
  IN  ops[t] \o more[missing]
History == T!Alone([t \in Decided |->
             IF t \in Writers THEN WritesOf(t) ELSE ops[t]])
Zero == [k \in Keys |-> 0]
ReadCommitted == T!ReadCommitted(Zero, History)
SnapshotIsolation == T!SnapshotIsolation(Zero, History)

Symmetry == Permutations(Writers) \cup Permutations(Readers)
            \cup Permutations(Keys)
=============================================================================
