#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/graph.h"
#include "check/facts/facts.h"
#include "check/weak/commit_graph.h"
#include "check/weak/order.h"
#include "model/evidence.h"

namespace txscope::check {

/// Shortest paths between transactions in edges of evidence, for explanations.
///
/// A stretch of a session, of real time or of a version order counts as one
/// edge however many transactions it passes: each is a lane that one enters for
/// the price of one edge, moves along for nothing and leaves for nothing.
/// Paths never pass kInitial.  Breadth first, from the end to the start.
class ShortestPaths {
 public:
  ShortestPaths(const History& history, const Facts& facts,
                const OrderIndex& order, const std::vector<Forced>& forced);

  struct Query {
    TxnId from;
    TxnId to;  ///< may be `from`: then a cycle is wanted
    bool reads_from = true;
    bool versions = false;  ///< known version orders
    bool forced = false;
    std::uint32_t limit = 0xffffffffu;  ///< no more edges than this
    /// If given, only transactions of the same component as `to`.
    const Components* components = nullptr;
  };
  [[nodiscard]] std::optional<std::vector<Edge>> find(const Query& query);

  /// Nodes looked at so far.
  [[nodiscard]] std::uint64_t effort() const { return effort_; }

 private:
  // Nodes: transactions; then each again, as places in its session's lane;
  // then moments; then places in version orders.
  enum class Via : std::uint8_t { Read, Forced, Lane };
  struct Hop {
    Node to;  // the next node towards the goal
    Via via;
    std::uint32_t label;  // the read, or the index of the forced edge
  };

  void expand(Node n, const Query& query);
  void expand_txn(TxnId t, const Query& query);
  void reach(Node n, Hop step, bool is_free);
  [[nodiscard]] std::vector<Edge> trace(const Query& query) const;
  [[nodiscard]] Edge lane_edge(TxnId from, Node lane, TxnId to) const;
  [[nodiscard]] Node session_lane(TxnId t) const { return n_ + t.index; }
  [[nodiscard]] Node moment(std::uint32_t m) const { return 2 * n_ + m; }
  [[nodiscard]] Node version(std::size_t place) const {
    return first_version_ + static_cast<Node>(place);
  }

  struct Version {
    TxnId txn;
    KeyId key;
  };

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  std::span<const Forced> forced_;
  Node n_;
  Node first_version_;
  std::vector<Version> versions_;    // all version orders, one after the other
  std::optional<Graph> lanes_into_;  // transaction -> versions before it
  std::optional<Graph> ended_before_;  // moment -> transactions
  std::optional<Graph> forced_into_;   // t1 -> indices of forced edges

  std::vector<std::uint32_t> stamp_;  // by node: the round that reached it
  std::vector<Hop> step_;
  std::vector<Node> now_, later_;
  std::uint32_t round_ = 0;
  std::uint64_t effort_ = 0;
};

}  // namespace txscope::check
