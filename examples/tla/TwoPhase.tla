------------------------------ MODULE TwoPhase ------------------------------
(***************************************************************************)
(* Two-phase commit over resources that lock until the decision is known   *)
(* (strict two-phase locking).  Every transaction increments every         *)
(* resource.  Messages are never lost and may arrive in any order.         *)
(*                                                                         *)
(* Careless resources take any decision to be about the transaction that   *)
(* holds the lock: an abort of one transaction frees the lock of another.  *)
(* Then two transactions may apply their effects in different orders.      *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Txns, Resources, Nobody, Careless

VARIABLES
  msgs,   \* everything that was ever sent
  stage,  \* of each transaction: start, asked, committed, aborted
  lock,   \* of each resource: a transaction or Nobody
  seen,   \* of each resource: transactions it has voted on
  ended,  \* of each resource: transactions whose decision it knows
  value,  \* of each resource
  ops     \* of each transaction: what it has read and written
vars == <<msgs, stage, lock, seen, ended, value, ops>>

T == INSTANCE Txscope

Init ==
  /\ msgs = {}
  /\ stage = [t \in Txns |-> "start"]
  /\ lock = [r \in Resources |-> Nobody]
  /\ seen = [r \in Resources |-> {}]
  /\ ended = [r \in Resources |-> {}]
  /\ value = [r \in Resources |-> 0]
  /\ ops = [t \in Txns |-> <<>>]

Send(m) == msgs' = msgs \cup {m}

Ask(t) ==
  /\ stage[t] = "start"
  /\ stage' = [stage EXCEPT ![t] = "asked"]
  /\ Send([type |-> "prepare", txn |-> t])
  /\ UNCHANGED <<lock, seen, ended, value, ops>>

Commit(t) ==
  /\ stage[t] = "asked"
  /\ \A r \in Resources : [type |-> "yes", txn |-> t, from |-> r] \in msgs
  /\ stage' = [stage EXCEPT ![t] = "committed"]
  /\ Send([type |-> "commit", txn |-> t])
  /\ UNCHANGED <<lock, seen, ended, value, ops>>

\* For a vote against it, or because it has waited long enough.
Abort(t) ==
  /\ stage[t] = "asked"
  /\ stage' = [stage EXCEPT ![t] = "aborted"]
  /\ Send([type |-> "abort", txn |-> t])
  /\ UNCHANGED <<lock, seen, ended, value, ops>>

VoteYes(r, t) ==
  /\ [type |-> "prepare", txn |-> t] \in msgs
  /\ t \notin seen[r]
  /\ lock[r] = Nobody
  /\ lock' = [lock EXCEPT ![r] = t]
  /\ seen' = [seen EXCEPT ![r] = @ \cup {t}]
  /\ Send([type |-> "yes", txn |-> t, from |-> r])
  /\ UNCHANGED <<stage, ended, value, ops>>

VoteNo(r, t) ==
  /\ [type |-> "prepare", txn |-> t] \in msgs
  /\ t \notin seen[r]
  /\ lock[r] # Nobody
  /\ seen' = [seen EXCEPT ![r] = @ \cup {t}]
  /\ Send([type |-> "no", txn |-> t, from |-> r])
  /\ UNCHANGED <<stage, lock, ended, value, ops>>

\* The decision that a resource with a lock waits for.
IsAbout(r, t) == IF Careless THEN lock[r] # Nobody ELSE lock[r] = t

Apply(r, t) ==
  /\ [type |-> "commit", txn |-> t] \in msgs
  /\ t \notin ended[r]
  /\ IsAbout(r, t)
  /\ ops' = [ops EXCEPT ![t] =
       @ \o <<T!Read(r, value[r]), T!Write(r, value[r] + 1)>>]
  /\ value' = [value EXCEPT ![r] = @ + 1]
  /\ lock' = [lock EXCEPT ![r] = Nobody]
  /\ ended' = [ended EXCEPT ![r] = @ \cup {t}]
  /\ UNCHANGED <<msgs, stage, seen>>

Release(r, t) ==
  /\ [type |-> "abort", txn |-> t] \in msgs
  /\ t \notin ended[r]
  /\ IsAbout(r, t)
  /\ lock' = [lock EXCEPT ![r] = Nobody]
  /\ ended' = [ended EXCEPT ![r] = @ \cup {t}]
  /\ UNCHANGED <<msgs, stage, seen, value, ops>>

Next ==
  \/ \E t \in Txns : Ask(t) \/ Commit(t) \/ Abort(t)
  \/ \E r \in Resources : \E t \in Txns :
       VoteYes(r, t) \/ VoteNo(r, t) \/ Apply(r, t) \/ Release(r, t)

Spec == Init /\ [][Next]_vars
        /\ \A t \in Txns : WF_vars(Ask(t)) /\ WF_vars(Commit(t) \/ Abort(t))
        /\ \A r \in Resources : \A t \in Txns :
             WF_vars(VoteYes(r, t) \/ VoteNo(r, t)) /\
             WF_vars(Apply(r, t) \/ Release(r, t))

-----------------------------------------------------------------------------
TypeOK ==
  /\ stage \in [Txns -> {"start", "asked", "committed", "aborted"}]
  /\ lock \in [Resources -> Txns \cup {Nobody}]
  /\ value \in [Resources -> Nat]

\* A transaction is judged as soon as it has begun to take effect.
Serializable == T!Serializable([r \in Resources |-> 0], T!Alone(ops))

EveryoneDecides == <>(\A t \in Txns : stage[t] \in {"committed", "aborted"})

Symmetry == Permutations(Txns) \cup Permutations(Resources)
=============================================================================
