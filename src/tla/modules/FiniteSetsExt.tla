--------------------------- MODULE FiniteSetsExt ----------------------------
\* More about finite sets.
EXTENDS Integers, FiniteSets, Folds, Functions
LOCAL INSTANCE TxscopeNative

FoldSet(op(_, _), base, set) == TxscopeFoldInto(op, base, set)
ReduceSet(op(_, _), set, acc) == TxscopeFoldInto(op, acc, set)
SumSet(set) == TxscopeFoldInto(LAMBDA a, b : a + b, 0, set)
ProductSet(set) == TxscopeFoldInto(LAMBDA a, b : a * b, 1, set)
MapThenSumSet(op(_), set) ==
  TxscopeFoldInto(LAMBDA a, b : op(a) + b, 0, set)
FlattenSet(S) == UNION S
SymDiff(A, B) == (A \ B) \cup (B \ A)
Quantify(S, P(_)) == Cardinality({s \in S : P(s)})
kSubset(k, S) == TxscopeSubsets(k, S)
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Choices(Sets) == {f \in [Sets -> UNION Sets] : \A S \in Sets : f[S] \in S}
ChooseUnique(S, P(_)) ==
  CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
=============================================================================
