------------------------------ MODULE Relation ------------------------------
\* Relations as functions from pairs to BOOLEAN, or as operators.
EXTENDS Naturals, FiniteSets

IsReflexiveUnder(op(_, _), S) == \A x \in S : op(x, x)
IsIrreflexiveUnder(op(_, _), S) == \A x \in S : ~op(x, x)
IsSymmetricUnder(op(_, _), S) == \A x, y \in S : op(x, y) <=> op(y, x)
IsAntiSymmetricUnder(op(_, _), S) ==
  \A x, y \in S : op(x, y) /\ op(y, x) => x = y
IsAsymmetricUnder(op(_, _), S) == \A x, y \in S : ~(op(x, y) /\ op(y, x))
IsTransitiveUnder(op(_, _), S) ==
  \A x, y, z \in S : op(x, y) /\ op(y, z) => op(x, z)
IsPartiallyOrderedUnder(op(_, _), S) ==
  /\ IsReflexiveUnder(op, S)
  /\ IsAntiSymmetricUnder(op, S)
  /\ IsTransitiveUnder(op, S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) ==
  /\ IsIrreflexiveUnder(op, S)
  /\ IsAntiSymmetricUnder(op, S)
  /\ IsTransitiveUnder(op, S)
IsTotallyOrderedUnder(op(_, _), S) ==
  /\ IsPartiallyOrderedUnder(op, S)
  /\ \A x, y \in S : op(x, y) \/ op(y, x)
IsStrictlyTotallyOrderedUnder(op(_, _), S) ==
  /\ IsStrictlyPartiallyOrderedUnder(op, S)
  /\ \A x, y \in S : x # y => op(x, y) \/ op(y, x)

IsReflexive(R, S) == IsReflexiveUnder(LAMBDA x, y : R[x, y], S)
IsIrreflexive(R, S) == IsIrreflexiveUnder(LAMBDA x, y : R[x, y], S)
IsSymmetric(R, S) == IsSymmetricUnder(LAMBDA x, y : R[x, y], S)
IsAntiSymmetric(R, S) == IsAntiSymmetricUnder(LAMBDA x, y : R[x, y], S)
IsAsymmetric(R, S) == IsAsymmetricUnder(LAMBDA x, y : R[x, y], S)
IsTransitive(R, S) == IsTransitiveUnder(LAMBDA x, y : R[x, y], S)
IsPartiallyOrdered(R, S) == IsPartiallyOrderedUnder(LAMBDA x, y : R[x, y], S)
IsStrictlyPartiallyOrdered(R, S) ==
  IsStrictlyPartiallyOrderedUnder(LAMBDA x, y : R[x, y], S)
IsTotallyOrdered(R, S) == IsTotallyOrderedUnder(LAMBDA x, y : R[x, y], S)
IsStrictlyTotallyOrdered(R, S) ==
  IsStrictlyTotallyOrderedUnder(LAMBDA x, y : R[x, y], S)

\* Longer and longer ways, until nothing new is reached.
LOCAL Closed(R, S) ==
  LET close[n \in 0..Cardinality(S)] ==
        IF n = 0 THEN R
        ELSE LET Q == close[n - 1]
             IN  [x, y \in S |->
                    Q[x, y] \/ \E z \in S : Q[x, z] /\ R[z, y]]
  IN  close[Cardinality(S)]
TransitiveClosure(R, S) == Closed([x, y \in S |-> R[x, y]], S)
ReflexiveTransitiveClosure(R, S) ==
  Closed([x, y \in S |-> R[x, y] \/ x = y], S)
IsConnected(R, S) ==
  LET closure == ReflexiveTransitiveClosure(R, S)
  IN  \A x, y \in S : closure[x, y]
=============================================================================
