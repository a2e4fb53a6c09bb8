---- MODULE Counter ----
\* Clients read a number, and ask a server to store one more; one is lost.
EXTENDS Naturals
CONSTANTS Clients, Servers
VARIABLES msgs, asked, n

Init == msgs = {} /\ asked = {} /\ n = 0

Ask(c) == /\ c \notin asked
          /\ asked' = asked \cup {c}
          /\ msgs' = msgs \cup {[type |-> "store", from |-> c, value |-> n + 1]}
          /\ UNCHANGED n

Store(s) == \E m \in msgs :
          /\ n' = m.value
          /\ msgs' = msgs \ {m}
          /\ UNCHANGED asked

Next == (\E c \in Clients : Ask(c)) \/ (\E s \in Servers : Store(s))

Counted == asked = Clients /\ msgs = {} => n = 2
====
