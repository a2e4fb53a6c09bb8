------------------------------ MODULE BagsExt -------------------------------
\* More about bags.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE TxscopeNative

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
FoldBag(op(_, _), base, B) ==
  TxscopeFoldRight(
    LAMBDA e, sum :
      TxscopeFoldRight(LAMBDA i, more : op(e, more), sum, 1..B[e]),
    base, DOMAIN B)
SumBag(B) == FoldBag(LAMBDA a, b : a + b, 0, B)
ProductBag(B) == FoldBag(LAMBDA a, b : a * b, 1, B)
=============================================================================
