------------------------------ MODULE BagsExt -------------------------------
\* More about bags.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE TxscopeNative

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
  LET copies(e) ==
        TxscopeFoldLeft(LAMBDA more, i : op(more, f(e)), base,
                        [i \in 1..B[e] |-> i])
  IN  TxscopeFoldRight(LAMBDA e, more : op(copies(e), more), base, DOMAIN B)
FoldBag(op(_, _), base, B) ==
  TxscopeFoldLeft(
    LAMBDA sum, e :
      TxscopeFoldLeft(LAMBDA more, i : op(more, e), sum, 1..B[e]),
    base, DOMAIN B)
SumBag(B) == FoldBag(LAMBDA a, b : a + b, 0, B)
ProductBag(B) == FoldBag(LAMBDA a, b : a * b, 1, B)
=============================================================================
