-------------------------- MODULE UndirectedGraphs --------------------------
\* Undirected graphs: edges are sets of one or two nodes.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets

UndirectedGraphs(S) ==
  [node : {S}, edge : SUBSET {{s, t} : s \in S, t \in S}]
IsUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : e \subseteq G.node /\ Cardinality(e) \in {1, 2}
IsLoopFreeUndirectedGraph(G) ==
  /\ IsUndirectedGraph(G)
  /\ \A e \in G.edge : Cardinality(e) = 2
UndirectedSubgraph(G) ==
  {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
LOCAL Reach(G, n) ==
  LET grow[k \in 0..Cardinality(G.node)] ==
        IF k = 0 THEN {n}
        ELSE grow[k - 1]
             \cup {m \in G.node : \E o \in grow[k - 1] : {o, m} \in G.edge}
  IN  grow[Cardinality(G.node)]
AreConnectedIn(m, n, G) == n \in Reach(G, m)
ConnectedComponents(G) == {Reach(G, n) : n \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
SimplePath(G) ==
  {p \in SeqOf(G.node, Cardinality(G.node)) :
     /\ p # <<>>
     /\ \A i, j \in DOMAIN p : p[i] = p[j] => i = j
     /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
Path(G) ==
  {p \in Seq(G.node) :
     /\ p # <<>>
     /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
=============================================================================
