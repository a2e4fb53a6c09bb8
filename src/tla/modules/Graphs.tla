------------------------------- MODULE Graphs -------------------------------
\* Directed graphs: records with a set of nodes and a set of pairs of them.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
IsDirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) ==
  {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsDirectedGraph(H)}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) ==
  /\ IsDirectedGraph(G)
  /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
GraphUnion(G, H) ==
  [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}
InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}

LOCAL Reach(G, S, Next(_, _)) ==
  LET grow[n \in 0..Cardinality(G.node)] ==
        IF n = 0 THEN S ELSE grow[n - 1] \cup Next(G, grow[n - 1])
  IN  grow[Cardinality(G.node)]
Descendants(G, n) == Reach(G, Successors(G, n), AllSuccessors)
Ancestors(G, n) == Reach(G, Predecessors(G, n), AllPredecessors)

AreConnectedIn(m, n, G) ==
  m \in G.node /\ (m = n \/ n \in Descendants(G, m))
ConnectionsIn(G) ==
  [m, n \in G.node |-> m = n \/ n \in Descendants(G, m)]
IsStronglyConnected(G) ==
  \A m, n \in G.node : AreConnectedIn(m, n, G)
HasCycle(G) == \E n \in G.node : n \in Descendants(G, n)
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
SimplePath(G) ==
  {p \in SeqOf(G.node, Cardinality(G.node)) :
     /\ p # <<>>
     /\ \A i, j \in DOMAIN p : p[i] = p[j] => i = j
     /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
Path(G) ==
  {p \in Seq(G.node) :
     /\ p # <<>>
     /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ r \in G.node
  /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
  /\ \A n \in G.node : AreConnectedIn(n, r, G)
IsBipartiteWithPartitions(G, U, V) ==
  /\ U \cap V = {}
  /\ G.node \subseteq (U \cup V)
  /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[1] \in V /\ e[2] \in U)
=============================================================================
