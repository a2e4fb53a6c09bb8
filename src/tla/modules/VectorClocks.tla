---------------------------- MODULE VectorClocks ----------------------------
\* Logs in an order that vector clocks allow.
EXTENDS Naturals, Sequences, Functions

LOCAL At(clock, n) == IF n \in DOMAIN clock THEN clock[n] ELSE 0
LOCAL Before(a, b) ==
  LET nodes == DOMAIN a \cup DOMAIN b
  IN  /\ \A n \in nodes : At(a, n) <= At(b, n)
      /\ \E n \in nodes : At(a, n) < At(b, n)
IsCausalOrder(log, clock(_)) ==
  \A i, j \in DOMAIN log : j < i => ~Before(clock(log[i]), clock(log[j]))
CausalOrder(log, clock(_), node(_), domain(_)) ==
  LET sort[left \in SUBSET DOMAIN log] ==
        IF left = {} THEN <<>>
        ELSE LET first == CHOOSE i \in left :
                   \A j \in left : ~Before(clock(log[j]), clock(log[i]))
             IN  <<log[first]>> \o sort[left \ {first}]
  IN  sort[DOMAIN log]
=============================================================================
