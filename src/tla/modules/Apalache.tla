------------------------------ MODULE Apalache ------------------------------
\* The operators of the model checker Apalache with the meaning that they have
\* for TLC: what is a hint to Apalache is nothing here.
LOCAL INSTANCE Integers
LOCAL INSTANCE TxscopeNative

x := e == x = e

Guess(S) == CHOOSE x \in S : TRUE
Gen(size) ==
  TxscopeRefuse("Gen stands for any value, which only Apalache looks for")

Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e

SetAsFun(S) ==
  LET arguments == {pair[1] : pair \in S}
  IN  [a \in arguments |-> (CHOOSE pair \in S : pair[1] = a)[2]]
MkSeq(n, F(_)) == [i \in 1..n |-> F(i)]
FunAsSeq(f, len, capacity) == [i \in 1..len |-> f[i]]

ApaFoldSet(op(_, _), base, S) == TxscopeFoldLeft(op, base, S)
ApaFoldSeqLeft(op(_, _), base, s) == TxscopeFoldLeft(op, base, s)
Repeat(F(_, _), n, x) ==
  TxscopeFoldLeft(F, x, [i \in 1..n |-> i])
=============================================================================
