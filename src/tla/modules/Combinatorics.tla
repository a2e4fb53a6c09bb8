--------------------------- MODULE Combinatorics ----------------------------
\* Numbers of ways to choose.
EXTENDS Naturals

factorial[n \in Nat] == IF n = 0 THEN 1 ELSE n * factorial[n - 1]
LOCAL pascal[n \in Nat, k \in Nat] ==
  IF k = 0 \/ k = n THEN 1
  ELSE IF k > n THEN 0 ELSE pascal[n - 1, k - 1] + pascal[n - 1, k]
choose(n, k) == pascal[n, k]
=============================================================================
