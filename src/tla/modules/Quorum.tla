------------------------------- MODULE Quorum -------------------------------
\* Sets of quorums: any two meet, and what contains a quorum is one.
QuorumSystem(S) ==
  {Q \in (SUBSET SUBSET S) \ {{}} :
     /\ \A A, B \in Q : A \cap B # {}
     /\ \A A \in Q, B \in SUBSET S : A \subseteq B => B \in Q}
=============================================================================
