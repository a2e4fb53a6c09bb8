--------------------------- MODULE SnapshotStore ---------------------------
(***************************************************************************)
(* A key-value store with snapshot isolation.  A transaction reads from    *)
(* the versions that were committed when it began, keeps its writes to     *)
(* itself, and may commit only if nobody has committed a write to one of   *)
(* its keys since (first committer wins).                                  *)
(*                                                                         *)
(* Here every transaction reads all keys and then writes one of its own    *)
(* choice: enough for write skew, so the store is not serializable.        *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Txns, Keys, CheckConflicts

VARIABLES
  versions,  \* of each key: the committed values, oldest first
  snapshot,  \* of each transaction: how many versions of each key it sees
  ops,       \* of each transaction: its operations
  stage      \* of each transaction: idle, running, committed, aborted
vars == <<versions, snapshot, ops, stage>>

T == INSTANCE Txscope

Init ==
  /\ versions = [k \in Keys |-> <<0>>]
  /\ snapshot = [t \in Txns |-> [k \in Keys |-> 0]]
  /\ ops = [t \in Txns |-> <<>>]
  /\ stage = [t \in Txns |-> "idle"]

Begin(t) ==
  /\ stage[t] = "idle"
  /\ stage' = [stage EXCEPT ![t] = "running"]
  /\ snapshot' = [snapshot EXCEPT ![t] = [k \in Keys |-> Len(versions[k])]]
  /\ UNCHANGED <<versions, ops>>

Written(t) == {ops[t][i].key : i \in {j \in DOMAIN ops[t] :
                                        ops[t][j].op = "write"}}
HasRead(t) == {ops[t][i].key : i \in {j \in DOMAIN ops[t] :
                                        ops[t][j].op = "read"}}

Get(t, k) ==
  /\ stage[t] = "running"
  /\ k \notin HasRead(t)
  /\ Written(t) = {}
  /\ ops' = [ops EXCEPT ![t] = Append(@,
       T!Read(k, versions[k][snapshot[t][k]]))]
  /\ UNCHANGED <<versions, snapshot, stage>>

\* Values are unique: how many writes there have been, over all transactions.
NewValue == 1 + Cardinality({t \in Txns : Written(t) # {}})

Put(t, k) ==
  /\ stage[t] = "running"
  /\ HasRead(t) = Keys
  /\ Written(t) = {}
  /\ ops' = [ops EXCEPT ![t] = Append(@, T!Write(k, NewValue))]
  /\ UNCHANGED <<versions, snapshot, stage>>

Conflicts(t) == \E k \in Written(t) : Len(versions[k]) > snapshot[t][k]

Commit(t) ==
  /\ stage[t] = "running"
  /\ Written(t) # {}
  /\ CheckConflicts => ~Conflicts(t)
  /\ stage' = [stage EXCEPT ![t] = "committed"]
  /\ versions' = [k \in Keys |->
       IF k \in Written(t)
       THEN Append(versions[k], ops[t][Len(ops[t])].value)
       ELSE versions[k]]
  /\ UNCHANGED <<snapshot, ops>>

Abort(t) ==
  /\ stage[t] = "running"
  /\ CheckConflicts /\ Conflicts(t)
  /\ stage' = [stage EXCEPT ![t] = "aborted"]
  /\ UNCHANGED <<versions, snapshot, ops>>

Next == \E t \in Txns : \/ Begin(t) \/ Commit(t) \/ Abort(t)
                        \/ \E k \in Keys : Get(t, k) \/ Put(t, k)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Committed == {t \in Txns : stage[t] = "committed"}
History == T!Alone([t \in Committed |-> ops[t]])
Zero == [k \in Keys |-> 0]
SnapshotIsolation == T!SnapshotIsolation(Zero, History)
Serializable == T!Serializable(Zero, History)
Causal == T!Causal(Zero, History)

Symmetry == Permutations(Txns) \cup Permutations(Keys)
=============================================================================
