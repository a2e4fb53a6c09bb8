---------------------------- MODULE VectorClocks ----------------------------
\* Logs in an order that vector clocks allow.
EXTENDS Naturals, Sequences, Functions
LOCAL INSTANCE SequencesExt

LOCAL At(clock, n) == IF n \in DOMAIN clock THEN clock[n] ELSE 0
LOCAL Before(a, b) ==
  LET nodes == DOMAIN a \cup DOMAIN b
  IN  /\ \A n \in nodes : At(a, n) <= At(b, n)
      /\ \E n \in nodes : At(a, n) < At(b, n)
IsCausalOrder(log, clock(_)) ==
  \A i, j \in DOMAIN log : j < i => ~Before(clock(log[i]), clock(log[j]))
\* The nodes take turns: each adds its earliest event that is left if nothing
\* that is left comes before it.
CausalOrder(log, clock(_), node(_), domain(_)) ==
  LET nodes == SetToSeq({node(log[i]) : i \in DOMAIN log})
      Time(i) == At(clock(log[i]), node(log[i]))
      turn[k \in 1..Len(nodes), left \in SUBSET DOMAIN log] ==
        LET own == {i \in left : node(log[i]) = nodes[k]}
            first == CHOOSE i \in own : \A j \in own : Time(i) <= Time(j)
        IN  IF own # {} /\ \A j \in left :
                  ~Before(clock(log[j]), clock(log[first]))
            THEN <<first>>
            ELSE <<>>
      round[k \in 0..Len(nodes), left \in SUBSET DOMAIN log] ==
        IF k = 0 THEN <<>>
        ELSE LET before == round[k - 1, left]
             IN  before \o turn[k, left \ Range(before)]
      sort[left \in SUBSET DOMAIN log] ==
        IF left = {} THEN <<>>
        ELSE LET chosen == round[Len(nodes), left]
             IN  chosen \o sort[left \ Range(chosen)]
      order == sort[DOMAIN log]
  IN  [i \in 1..Len(order) |-> log[order[i]]]
=============================================================================
