-------------------------------- MODULE Bags --------------------------------
\* Bags (multisets): functions from elements to how often they occur.
\* As TLC's, it brings module TLC along.
EXTENDS TLC
LOCAL INSTANCE Naturals
LOCAL INSTANCE TxscopeNative

IsABag(B) == TxscopeIsBag(B)
BagToSet(B) == DOMAIN B
SetToBag(S) == [e \in S |-> 1]
BagIn(e, B) == e \in DOMAIN B
EmptyBag == SetToBag({})
CopiesIn(e, B) == IF BagIn(e, B) THEN B[e] ELSE 0

B1 (+) B2 ==
  [e \in DOMAIN B1 \cup DOMAIN B2 |-> CopiesIn(e, B1) + CopiesIn(e, B2)]
B1 (-) B2 ==
  [e \in {x \in DOMAIN B1 : CopiesIn(x, B1) > CopiesIn(x, B2)} |->
     CopiesIn(e, B1) - CopiesIn(e, B2)]
B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : CopiesIn(e, B1) <= CopiesIn(e, B2)

LOCAL Sum(f) ==
  LET g[S \in SUBSET DOMAIN f] ==
        IF S = {} THEN 0
        ELSE LET e == CHOOSE x \in S : TRUE IN f[e] + g[S \ {e}]
  IN  g[DOMAIN f]
BagCardinality(B) == Sum(B)

BagUnion(S) ==
  LET all == UNION {DOMAIN B : B \in S}
  IN  [e \in all |-> Sum([B \in S |-> CopiesIn(e, B)])]
BagOfAll(F(_), B) ==
  [v \in {F(e) : e \in DOMAIN B} |->
     Sum([e \in {x \in DOMAIN B : F(x) = v} |-> B[e]])]
SubBag(B) ==
  LET counts == [DOMAIN B -> 0..BagCardinality(B)]
      fitting == {f \in counts : \A e \in DOMAIN B : f[e] <= B[e]}
  IN  {[e \in {x \in DOMAIN f : f[x] > 0} |-> f[e]] : f \in fitting}
=============================================================================
