------------------------------ MODULE Bitwise -------------------------------
\* Naturals as rows of bits.
LOCAL INSTANCE Integers

LOCAL Bits(x, y, Bit(_, _)) ==
  LET row[a \in Nat, b \in Nat] ==
        IF a = 0 /\ b = 0 THEN 0
        ELSE Bit(a % 2, b % 2) + 2 * row[a \div 2, b \div 2]
  IN  row[x, y]

a & b == Bits(a, b, LAMBDA x, y : x * y)
a | b == Bits(a, b, LAMBDA x, y : IF x + y > 0 THEN 1 ELSE 0)
a ^^ b == Bits(a, b, LAMBDA x, y : (x + y) % 2)
And(a, b) == a & b
Or(a, b) == a | b
Xor(a, b) == a ^^ b
Not(a) == Bits(a, 0, LAMBDA x, y : 1 - x)
shiftR(n, pos) == n \div 2 ^ pos
=============================================================================
