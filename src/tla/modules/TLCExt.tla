------------------------------- MODULE TLCExt -------------------------------
\* What TLC offers beyond module TLC, as far as it has a meaning here.
LOCAL INSTANCE TLC
LOCAL INSTANCE Sequences
LOCAL INSTANCE TxscopeNative

AssertEq(a, b) ==
  IF a = b THEN TRUE
  ELSE PrintT(<<"AssertEq failed", a, b>>) /\ FALSE
AssertError(err, exp) == TxscopeAssertError(err, exp)
TLCGetOrDefault(key, defaultVal) == TxscopeGetOr(key, defaultVal)
TLCGetAndSet(key, Op(_, _), val, defaultVal) ==
  LET old == TLCGetOrDefault(key, defaultVal)
  IN  IF TLCSet(key, Op(old, val)) THEN old ELSE old
TLCModelValue(str) == TxscopeModelValue(str)
TLCDefer(expression) == TRUE
TLCNoOp(val) == val
PickSuccessor(exp) == TRUE
TLCCache(expression, closure) == expression
Trace == TxscopeTrace
CounterExample == [state |-> {}, action |-> {}]
ToTrace(CE) == <<>>
=============================================================================
