--------------------------- MODULE Randomization ----------------------------
\* Random choices.  They depend on --seed, the place in the text and the state,
\* so that the same run gives the same states.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TxscopeNative

RandomSubset(k, S) == TxscopeRandomSubset(k, S)
RandomSetOfSubsets(k, n, S) == TxscopeRandomSubsets(k, n, S)
TestRandomSetOfSubsets(k, n, S) ==
  [i \in 1..5 |-> Cardinality(TxscopeRandomSubsets(k, n, S))]
=============================================================================
