-------------------------- MODULE DyadicRationals ---------------------------
\* Fractions whose denominator is a power of two, in lowest terms.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

Zero == [num |-> 0, den |-> 1]
One == [num |-> 1, den |-> 1]
LOCAL Lowest[n \in Int, d \in Nat] ==
  IF n # 0 /\ n % 2 = 0 /\ d % 2 = 0 THEN Lowest[n \div 2, d \div 2]
  ELSE [num |-> n, den |-> IF n = 0 THEN 1 ELSE d]
IsDyadicRational(r) == \E i \in 0..r.den : 2 ^ i = r.den
Add(p, q) ==
  LET den == IF p.den > q.den THEN p.den ELSE q.den
  IN  Lowest[p.num * (den \div p.den) + q.num * (den \div q.den), den]
Half(p) == Lowest[p.num, 2 * p.den]
PrettyPrint(p) ==
  IF p = Zero THEN "0" ELSE IF p = One THEN "1"
  ELSE ToString(p.num) \o "/" \o ToString(p.den)
=============================================================================
