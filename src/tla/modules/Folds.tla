------------------------------- MODULE Folds --------------------------------
\* Folding over a finite set, in the order that choose(_) gives.
EXTENDS Naturals

MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
  LET fold[T \in SUBSET S] ==
        IF T = {} THEN base
        ELSE LET e == choose(T) IN op(f(e), fold[T \ {e}])
  IN  fold[S]
=============================================================================
