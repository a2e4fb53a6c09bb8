---- MODULE LetInInit ----
\* LET values were once remembered by the address of the state, which Init
\* changes while it builds it: stale values gave wrong initial states.
EXTENDS Naturals
VARIABLES x, y
Init == /\ x \in 1..3
        /\ LET double == 2 * x IN y = double
Next == UNCHANGED <<x, y>>
Inv == y = 2 * x
====
