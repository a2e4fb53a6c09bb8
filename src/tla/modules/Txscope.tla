------------------------------ MODULE Txscope ------------------------------
(***************************************************************************)
(* Isolation levels of observed transactions, as invariants of protocols.  *)
(*                                                                         *)
(* An operation is Read(key, value) or Write(key, value).  A transaction   *)
(* is a sequence of operations.  A history is a function from sessions to  *)
(* sequences of committed transactions, in the order of the session.       *)
(* `init` is a function that gives every key its initial value.            *)
(*                                                                         *)
(*     T == INSTANCE Txscope                                               *)
(*     Safe == T!Serializable([k \in Keys |-> 0], T!Alone(operations))     *)
(*                                                                         *)
(* Each level is what it says below: there is a source for every read and  *)
(* an order of all transactions such that ... (Biswas and Enea, OOPSLA     *)
(* 2019; Cerone, Bernardi and Gotsman, CONCUR 2015, for parallel snapshot  *)
(* isolation).  TLC evaluates that literally, in time exponential in the   *)
(* number of transactions; txscope answers with the engine of its check.   *)
(*                                                                         *)
(* The strict levels respect real time as well: `times` has the shape of   *)
(* the history, with a pair <<start, end>> for each transaction.           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

Read(k, v) == [op |-> "read", key |-> k, value |-> v]
Write(k, v) == [op |-> "write", key |-> k, value |-> v]

\* The history in which every transaction is a session of its own.
Alone(txns) == [t \in DOMAIN txns |-> <<txns[t]>>]

-----------------------------------------------------------------------------
\* A transaction is known by its session and number; Initial writes `init`.
LOCAL Initial == <<>>
LOCAL Txns(h) == UNION {{<<s, i>> : i \in 1..Len(h[s])} : s \in DOMAIN h}
LOCAL Ops(h, t) == h[t[1]][t[2]]

LOCAL WritesAt(ops, k, i) == ops[i].op = "write" /\ ops[i].key = k
LOCAL Writes(h, t, k) == \E i \in DOMAIN Ops(h, t) : WritesAt(Ops(h, t), k, i)

\* The value of the last write of k among the first n operations.
LOCAL LastWrite(ops, k, n) ==
  LET all == {i \in 1..n : WritesAt(ops, k, i)}
  IN  ops[CHOOSE i \in all : \A j \in all : j <= i].value

\* A read is external if its transaction did not write the key before it.
LOCAL IsExternal(ops, i) ==
  /\ ops[i].op = "read"
  /\ \A j \in 1..(i - 1) : ~WritesAt(ops, ops[i].key, j)
LOCAL OwnReadsFit(h) ==
  \A t \in Txns(h) : LET ops == Ops(h, t) IN
    \A i \in DOMAIN ops :
      (ops[i].op = "read" /\ ~IsExternal(ops, i)) =>
        ops[i].value = LastWrite(ops, ops[i].key, i - 1)

\* External reads are known by their transaction and their place in it.
LOCAL Reads(h) ==
  UNION {{<<t, i>> : i \in {j \in DOMAIN Ops(h, t) : IsExternal(Ops(h, t), j)}}
         : t \in Txns(h)}
LOCAL OpOf(h, r) == Ops(h, r[1])[r[2]]

\* Who may have written what a read saw: the last write of a key counts.
LOCAL Sources(init, h, r) ==
  LET o == OpOf(h, r)
  IN  {w \in Txns(h) \ {r[1]} :
         /\ Writes(h, w, o.key)
         /\ LastWrite(Ops(h, w), o.key, Len(Ops(h, w))) = o.value}
      \cup IF init[o.key] = o.value THEN {Initial} ELSE {}
LOCAL ReadsFrom(init, h) ==
  {f \in [Reads(h) -> Txns(h) \cup {Initial}] :
     \A r \in Reads(h) : f[r] \in Sources(init, h, r)}

\* Orders give every transaction its place; Initial comes first.
LOCAL Orders(h) ==
  {p \in [Txns(h) -> 1..Cardinality(Txns(h))] :
     \A a, b \in Txns(h) : a /= b => p[a] /= p[b]}
LOCAL Place(p, t) == IF t = Initial THEN 0 ELSE p[t]
LOCAL Before(p, a, b) == Place(p, a) < Place(p, b)

LOCAL SessionOrder(h) ==
  {e \in Txns(h) \X Txns(h) : e[1][1] = e[2][1] /\ e[1][2] < e[2][2]}
LOCAL RealTime(h, times) ==
  LET Of(t) == times[t[1]][t[2]]
  IN  SessionOrder(h) \cup
      {e \in Txns(h) \X Txns(h) : Of(e[1])[2] < Of(e[2])[1]}

LOCAL Edges(wr) == {<<wr[r], r[1]>> : r \in DOMAIN wr}
LOCAL Closure(edges, nodes) ==
  LET f[n \in 0..Cardinality(nodes)] ==
        IF n = 0 THEN edges
        ELSE f[n - 1] \cup
             {e \in nodes \X nodes : \E m \in nodes :
                <<e[1], m>> \in f[n - 1] /\ <<m, e[2]>> \in f[n - 1]}
  IN  f[Cardinality(nodes)]
LOCAL HaveCommonKey(h, a, b) ==
  \E i \in DOMAIN Ops(h, a) :
    Ops(h, a)[i].op = "write" /\ Writes(h, b, Ops(h, a)[i].key)

-----------------------------------------------------------------------------
\* There are sources and an order such that every read from t1 by t3 precedes
\* every other writer t2 of the key for which the premise holds.
LOCAL Satisfies(init, h, order, Premise(_, _, _, _)) ==
  /\ OwnReadsFit(h)
  /\ \E wr \in ReadsFrom(init, h) : \E p \in Orders(h) :
       /\ \A e \in order \cup Edges(wr) : Before(p, e[1], e[2])
       /\ \A r \in DOMAIN wr : \A t2 \in Txns(h) \ {wr[r], r[1]} :
            (Writes(h, t2, OpOf(h, r).key) /\ Premise(p, wr, t2, r)) =>
              Before(p, t2, wr[r])

LOCAL RC(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r : FALSE)
LOCAL MAV(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r :
    \E q \in DOMAIN wr : q[1] = r[1] /\ q[2] < r[2] /\ wr[q] = t2)
LOCAL RA(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r :
    <<t2, r[1]>> \in order \cup Edges(wr))
LOCAL CC(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r :
    <<t2, r[1]>> \in Closure(order \cup Edges(wr), Txns(h) \cup {Initial}))
LOCAL SeesPrefix(p, wr, t2, r, h, order) ==
  \E t4 \in Txns(h) : /\ t4 = t2 \/ Before(p, t2, t4)
                      /\ <<t4, r[1]>> \in order \cup Edges(wr)
LOCAL PC(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r :
    SeesPrefix(p, wr, t2, r, h, order))
LOCAL PSI(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r :
    <<t2, r[1]>> \in
      Closure(order \cup Edges(wr) \cup
                {e \in Txns(h) \X Txns(h) :
                   HaveCommonKey(h, e[1], e[2]) /\ Before(p, e[1], e[2])},
              Txns(h) \cup {Initial}))
LOCAL SI(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r :
    \/ SeesPrefix(p, wr, t2, r, h, order)
    \/ \E t4 \in Txns(h) \ {r[1]} : /\ HaveCommonKey(h, t4, r[1])
                                    /\ t4 = t2 \/ Before(p, t2, t4)
                                    /\ Before(p, t4, r[1]))
LOCAL SER(init, h, order) ==
  Satisfies(init, h, order, LAMBDA p, wr, t2, r : Before(p, t2, r[1]))

-----------------------------------------------------------------------------
ReadUncommitted(init, h) == TRUE
ReadCommitted(init, h) == RC(init, h, SessionOrder(h))
MonotonicAtomicView(init, h) == MAV(init, h, SessionOrder(h))
ReadAtomic(init, h) == RA(init, h, SessionOrder(h))
Causal(init, h) == CC(init, h, SessionOrder(h))
Prefix(init, h) == PC(init, h, SessionOrder(h))
ParallelSnapshotIsolation(init, h) == PSI(init, h, SessionOrder(h))
SnapshotIsolation(init, h) == SI(init, h, SessionOrder(h))
Serializable(init, h) == SER(init, h, SessionOrder(h))

StrictReadCommitted(init, h, times) == RC(init, h, RealTime(h, times))
StrictReadAtomic(init, h, times) == RA(init, h, RealTime(h, times))
StrictCausal(init, h, times) == CC(init, h, RealTime(h, times))
StrictPrefix(init, h, times) == PC(init, h, RealTime(h, times))
StrictParallelSnapshotIsolation(init, h, times) ==
  PSI(init, h, RealTime(h, times))
StrictSnapshotIsolation(init, h, times) == SI(init, h, RealTime(h, times))
StrictSerializable(init, h, times) == SER(init, h, RealTime(h, times))
=============================================================================
