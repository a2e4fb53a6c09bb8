----------------------------- MODULE Functions ------------------------------
\* Functions: restriction, range, inverse, folds.
EXTENDS Integers, Folds
LOCAL INSTANCE TxscopeNative

Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]
RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]
IsRestriction(narrow, wide) ==
  /\ DOMAIN narrow \subseteq DOMAIN wide
  /\ \A x \in DOMAIN narrow : narrow[x] = wide[x]
Range(f) == {f[x] : x \in DOMAIN f}
Pointwise(f, g, T(_, _)) == [x \in DOMAIN f |-> T(f[x], g[x])]

Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : t \in Range(f) => f[s] = t]
AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))

IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : \A t \in T : \E s \in S : f[s] = t}
Bijection(S, T) == Injection(S, T) \cap Surjection(S, T)
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}

FoldFunctionOnSet(op(_, _), base, fun, indices) ==
  TxscopeFoldInto(LAMBDA i, sum : op(fun[i], sum), base, indices)
FoldFunction(op(_, _), base, fun) == TxscopeFoldInto(op, base, fun)
SumFunctionOnSet(fun, indices) ==
  FoldFunctionOnSet(LAMBDA a, b : a + b, 0, fun, indices)
SumFunction(fun) == FoldFunction(LAMBDA a, b : a + b, 0, fun)
=============================================================================
