---------------------------- MODULE SequencesExt ----------------------------
\* More about sequences.
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags,
        TLC
LOCAL INSTANCE TxscopeNative

ToSet(s) == {s[i] : i \in DOMAIN s}
ToBag(s) ==
  [e \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = e})]
SetToSeq(S) == TxscopeSetToSeq(S)
SetToSeqs(S) ==
  {f \in [1..Cardinality(S) -> S] : IsInjective(f)}
SetToSortSeq(S, op(_, _)) == SortSeq(TxscopeSetToSeq(S), op)
SetToAllKPermutations(S) ==
  UNION {SetToSeqs(s) : s \in SUBSET S}

TupleOf(set, n) == [1..n -> set]
SeqOf(set, n) == UNION {[1..m -> set] : m \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)

Contains(s, e) == \E i \in DOMAIN s : s[i] = e
IsSorted(s, op(_, _)) ==
  \A i, j \in DOMAIN s : i < j => op(s[i], s[j])
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) - i + 1]]
Remove(s, e) == SelectSeq(s, LAMBDA t : t # e)
ReplaceAll(s, old, new) ==
  [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]

SelectInSubSeq(seq, from, to, Test(_)) ==
  LET found == {i \in from..to : Test(seq[i])}
  IN  IF found = {} THEN 0 ELSE Min(found)
SelectInSeq(seq, Test(_)) == SelectInSubSeq(seq, 1, Len(seq), Test)
SelectLastInSubSeq(seq, from, to, Test(_)) ==
  LET found == {i \in from..to : Test(seq[i])}
  IN  IF found = {} THEN 0 ELSE Max(found)
SelectLastInSeq(seq, Test(_)) == SelectLastInSubSeq(seq, 1, Len(seq), Test)

InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirst(s, e) ==
  IF Contains(s, e)
  THEN RemoveAt(s, SelectInSeq(s, LAMBDA v : v = e)) ELSE s
RemoveFirstMatch(s, Test(_)) ==
  IF \E i \in DOMAIN s : Test(s[i])
  THEN RemoveAt(s, SelectInSeq(s, Test)) ELSE s
Cons(elt, seq) == <<elt>> \o seq
Snoc(elt, seq) == Append(seq, elt)
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]

IsPrefix(s, t) == TxscopeIsPrefix(s, t)
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) ==
  Len(s) <= Len(t) /\ SubSeq(t, Len(t) - Len(s) + 1, Len(t)) = s
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..Len(s)} \cup {<<>>}
CommonPrefixes(S) ==
  LET one == CHOOSE s \in S : TRUE
  IN  {p \in Prefixes(one) : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) ==
  IF S = {} THEN <<>>
  ELSE CHOOSE p \in CommonPrefixes(S) :
         \A q \in CommonPrefixes(S) : Len(q) <= Len(p)
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b

FoldSeq(op(_, _), base, seq) == TxscopeFoldInto(op, base, seq)
FoldLeft(op(_, _), base, seq) == TxscopeFoldLeft(op, base, seq)
FoldRight(op(_, _), seq, base) == TxscopeFoldRight(op, base, seq)
FoldLeftDomain(op(_, _), base, seq) ==
  TxscopeFoldLeft(op, base, [i \in 1..Len(seq) |-> i])
FoldRightDomain(op(_, _), seq, base) ==
  TxscopeFoldRight(op, base, [i \in 1..Len(seq) |-> i])
FlattenSeq(seqs) ==
  IF Len(seqs) = 0 THEN seqs
  ELSE TxscopeFoldLeft(LAMBDA a, b : a \o b, Head(seqs), Tail(seqs))
Zip(s, t) == [i \in 1..Min({Len(s), Len(t)}) |-> <<s[i], t[i]>>]
Interleave(s, t) ==
  IF Len(s) # Len(t)
  THEN TxscopeRefuse("Interleave takes sequences of the same length")
  ELSE IF s = <<>> THEN <<<<>>, <<>>>>
  ELSE [i \in 1..(2 * Len(s)) |->
          IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]

SubSeqs(s) ==
  {SubSeq(s, i + 1, j) : i \in 0..Len(s), j \in 0..Len(s)}
AllSubSeqs(s) ==
  {LET kept == SetToSortSeq(D, LAMBDA a, b : a < b)
   IN  [i \in 1..Len(kept) |-> s[kept[i]]] : D \in SUBSET DOMAIN s}
IndexFirstSubSeq(s, t) ==
  LET last == Len(t) - Len(s) + 1
      found == {i \in 1..last : SubSeq(t, i, i + Len(s) - 1) = s}
  IN  IF found = {} THEN 0 ELSE Min(found)
ReplaceSubSeqAt(i, r, s, t) ==
  SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
ReplaceFirstSubSeq(r, s, t) ==
  IF s \in SubSeqs(t)
  THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t) ELSE t
ReplaceAllSubSeqs(r, s, t) ==
  LET all[u \in {SubSeq(t, i, Len(t)) : i \in 1..(Len(t) + 1)}] ==
        LET i == IndexFirstSubSeq(s, u)
        IN  IF i = 0 THEN u
            ELSE SubSeq(u, 1, i - 1) \o r
                 \o all[SubSeq(u, i + Len(s), Len(u))]
  IN  IF s = t THEN r
      ELSE IF Len(s) = 0
      THEN FlattenSeq([i \in 1..Len(t) |-> r \o SubSeq(t, i, i)])
      ELSE all[t]
=============================================================================
