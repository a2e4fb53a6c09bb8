#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "check/facts/facts.h"
#include "check/solver/acyclic_graph.h"
#include "check/weak/order.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// What is known of a history at a level, as a graph that every commit order
/// has to agree with.  Choices that are still open (the order of two writers,
/// the writer of a read) are edges on top of it.
///
/// Definition.  An edge between nodes of two transactions says that, in every
/// witness, one point in time is before the other.  Which points a relation
/// joins is what tells the levels apart:
///
///     base                nodes            order, wr   ww       rw
///     prefix              start, commit    c -> s      c -> c   s -> c
///     snapshot-isolation  start, commit    c -> s      c -> s   s -> c
///     serializable        one              yes         yes      yes
///     parallel-snapshot   one              yes         yes      no edge
///     causal              start, commit    s->s, c->c  c -> c   no edge
///     the others          one              yes         yes      no edge
///
/// At parallel-snapshot and causal an anti-dependency r -> w instead forbids a
/// path from w to r; at causal only along order and wr, which is what the
/// layer of start nodes is for there.
///
/// Readers of one version often are many, and each is before every later
/// writer.  Two or more share a node: readers -> shared node -> writers.
class KnownGraph {
 public:
  using Node = sat::AcyclicGraph::Node;
  using Link = sat::AcyclicGraph::Link;
  static constexpr Node kNoNode = 0xffffffffu;

  using Version = Facts::Version;

  KnownGraph(const History& history, const Facts& facts,
             const OrderIndex& order, Base base);

  [[nodiscard]] Base base() const { return base_; }
  [[nodiscard]] std::size_t node_count() const { return node_count_; }
  [[nodiscard]] std::size_t link_count() const { return from_.size(); }
  [[nodiscard]] std::span<const Node> predecessors(Node n) const {
    return std::span(from_).subspan(begin_[n], begin_[n + 1] - begin_[n]);
  }
  /// All predecessors; they live as long as the graph.
  [[nodiscard]] sat::AcyclicGraph::Rows rows() const { return {begin_, from_}; }
  /// Calls visit(link) for every link, by the node that it leads to.
  template <class Visit>
  void for_links(Visit visit) const {
    for (Node to = 0; to < node_count_; ++to)
      for (const Node from : predecessors(to)) visit(Link{from, to});
  }
  [[nodiscard]] Node start(TxnId t) const { return per_txn_ * t.index; }
  [[nodiscard]] Node commit(TxnId t) const {
    return per_txn_ * t.index + per_txn_ - 1;
  }

  /// Links of "a before b by the order, or b read from a": one or two.
  [[nodiscard]] std::span<const Link> dependency(TxnId a, TxnId b);
  /// The link of "a's version is older than b's".
  [[nodiscard]] Link write_order(TxnId a, TxnId b) const;
  /// True if r -rw-> w is an edge s(r) -> c(w); else it forbids a path.
  [[nodiscard]] bool has_anti_dependencies() const { return has_rw_; }

  [[nodiscard]] Version version(KeyId key, TxnId writer) const {
    return facts_.version(key, writer);
  }
  [[nodiscard]] std::size_t version_count() const {
    return reader_begin_.size() - 1;
  }
  /// Those who count and surely read a version.
  [[nodiscard]] std::span<const TxnId> readers(Version v) const {
    return std::span(readers_).subspan(
        reader_begin_[v.index],
        reader_begin_[v.index + 1] - reader_begin_[v.index]);
  }
  /// The node that all readers of a version are at or before; kNoNode if there
  /// are no readers, or if anti-dependencies are no edges.
  [[nodiscard]] Node reader_node(Version v) const;
  /// True if t surely read that version.
  [[nodiscard]] bool has_read(TxnId t, KeyId key, TxnId writer) const;

  /// What a node stands for: a transaction, or kNone for a shared node.
  [[nodiscard]] TxnId txn_of(Node n) const {
    return n < txn_nodes_ ? TxnId(n / per_txn_) : kNone<TxnId>;
  }
  [[nodiscard]] bool is_commit(Node n) const {
    return n % per_txn_ == per_txn_ - 1;
  }
  [[nodiscard]] bool is_start(Node n) const { return n % per_txn_ == 0; }
  [[nodiscard]] bool is_moment(Node n) const {
    return n >= txn_nodes_ && n < first_shared_;
  }
  /// The version that a shared node of readers stands for.
  [[nodiscard]] Version version_of(Node shared) const {
    return {shared_versions_[shared - first_shared_]};
  }

 private:
  void add(Node from, Node to) { links_.push_back({from, to}); }
  void add_order();
  void add_reads();
  void share_readers();
  void add_updates();
  void add_initial();
  void add_version_orders();
  void add_overwrite(KeyId key, TxnId writer, TxnId later);
  void sort_links();

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  Base base_;
  std::uint32_t per_txn_;
  bool has_rw_;
  std::uint32_t txn_nodes_ = 0;
  std::uint32_t first_shared_ = 0;
  std::uint32_t node_count_ = 0;
  std::vector<Link> links_;  // until they are sorted
  std::array<Link, 2> dependency_{};
  std::vector<std::uint32_t> begin_;  // by node, into from_
  std::vector<Node> from_;

  std::vector<std::uint32_t> reader_begin_;  // by version
  std::vector<TxnId> readers_;
  std::vector<std::uint32_t> shared_versions_;  // ascending
  // By 64 versions: how many before them have a shared node, and which do.
  struct SharedBlock {
    std::uint32_t before = 0;
    std::uint64_t has = 0;
  };
  std::vector<SharedBlock> shared_blocks_;
};

}  // namespace txscope::check
