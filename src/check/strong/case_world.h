#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// A few transactions of a history, within which a refutation is sought.
struct Excerpt {
  using Index = std::uint32_t;  ///< into txns
  static constexpr Index kNobody = 0xffffffffu;

  Excerpt(const History& of_history, const Facts& its_facts,
          const OrderIndex& its_order, Level at_level,
          std::vector<TxnId> of_txns);

  const History& history;
  const Facts& facts;
  const OrderIndex& order;
  Level level;
  std::vector<TxnId> txns;  ///< ascending, without kInitial
  /// What is worth asking first, ascending: writers of reads, orders of pairs
  /// (the lesser first).
  std::vector<OpId> reads;
  std::vector<std::pair<TxnId, TxnId>> pairs;

  // What does not depend on the case: the inverse of txns, who precedes whom
  // as rows of bits, and the writers of each key.
  std::vector<Index> index_of;
  std::vector<std::vector<std::uint64_t>> precedes;
  struct Writers {
    KeyId key;
    std::vector<Index> writers;
  };
  std::vector<Writers> keys;  ///< by key
  [[nodiscard]] std::span<const Index> writers(KeyId key) const;
};

/// What is certain among the transactions of an excerpt in one case of a
/// refutation, and what in it contradicts the level.
///
/// Definition.  As in evidence.h: an edge is there if it holds in every
/// execution that agrees with the assumptions.  Only what the excerpt itself
/// shows is used, so leaving out transactions never makes anything certain.
///
/// Cost.  Cubic in the excerpt, over 64.
class CaseWorld {
 public:
  using Contradiction = std::variant<Cycle, BadRead>;

  CaseWorld(const Excerpt& excerpt, std::span<const Assumption> assumptions);

  /// The cycle with the fewest assumptions, then the fewest edges, or a read
  /// that is impossible.
  [[nodiscard]] std::optional<Contradiction> contradiction() const;
  /// Whether it contradicts the level here, too.
  [[nodiscard]] bool confirms(const Contradiction& contradiction) const;

  /// The answers to a question that is open here; empty if it is not, or if it
  /// makes no sense.
  [[nodiscard]] std::vector<Assumption> order_of(TxnId a, TxnId b) const;
  [[nodiscard]] std::vector<Assumption> writers_of(OpId read) const;
  [[nodiscard]] std::vector<Assumption> outcomes_of(TxnId t) const;
  [[nodiscard]] std::vector<Assumption> appends_at(
      KeyId list, std::uint32_t position) const;
  /// The answers to the same question as `answer`.
  [[nodiscard]] std::vector<Assumption> alternatives(
      const Assumption& answer) const;
  /// What is worth asking first, or, if nothing of that is open, everything
  /// that could be asked.
  [[nodiscard]] std::vector<std::vector<Assumption>> questions() const;

 private:
  using Index = Excerpt::Index;
  static constexpr Index kNobody = Excerpt::kNobody;

  struct Read {
    Index reader;
    KeyId key;
    OpId op;
    TxnId writer;  // kNone if it is open here
    bool is_assumed;
  };
  struct Link {
    Index from;
    Index to;
    Edge edge;
    std::uint32_t weight;
  };

  [[nodiscard]] Index index(TxnId t) const { return x_.index_of[t.index]; }
  [[nodiscard]] TxnId txn(Index i) const { return x_.txns[i]; }
  [[nodiscard]] std::size_t size() const { return x_.txns.size(); }
  [[nodiscard]] bool is_assumed(Assumption::Kind kind, TxnId a) const;
  [[nodiscard]] bool is_assumed_before(TxnId a, TxnId b) const;
  [[nodiscard]] bool may_commit(TxnId t) const;
  [[nodiscard]] bool counts(TxnId t) const {
    if (t == History::kInitial) return true;
    const Index i = index(t);
    return i != kNobody && counts_[i] != 0;
  }
  [[nodiscard]] bool is_before(Index a, Index b) const {
    return (x_.precedes[a][b / 64] >> (b % 64) & 1) != 0;
  }
  [[nodiscard]] bool happens_before(TxnId a, TxnId b) const;

  [[nodiscard]] std::vector<std::vector<Assumption>> questions(
      bool is_everything) const;
  [[nodiscard]] bool is_order_open(TxnId a, TxnId b) const;
  void find_who_counts();
  void find_writers();
  void find_longest_reads(Index reader);
  void find_happens_before();
  void find_links();
  void add_link(TxnId from, TxnId to, Edge edge, std::uint32_t weight);
  [[nodiscard]] std::vector<TxnId> candidates(OpId read, TxnId reader) const;
  [[nodiscard]] TxnId known_writer(TxnId reader, const Facts::Read& read,
                                   bool& is_assumed) const;

  // Why the version of `key` by a is older than that by b: fills the reason.
  bool explain_order(TxnId a, TxnId b, Edge& edge) const;
  [[nodiscard]] OpId forcing_read(TxnId a, TxnId b, KeyId key) const;
  [[nodiscard]] bool is_premise(TxnId a, const Read& read) const;
  [[nodiscard]] std::uint32_t weight(const Edge& edge) const;

  // Lists.
  [[nodiscard]] std::span<const Atom> elements(OpId read) const;
  [[nodiscard]] OpId longest_read(KeyId key) const;
  [[nodiscard]] bool is_placed(KeyId key, std::uint32_t position) const;
  [[nodiscard]] std::vector<OpId> appends_behind(KeyId key,
                                                 std::uint32_t position,
                                                 Atom value) const;
  [[nodiscard]] TxnId appender(KeyId key, std::uint32_t position,
                               Atom value) const;
  [[nodiscard]] bool lists_show(KeyId key, TxnId a, TxnId b) const;
  [[nodiscard]] bool reads_itself(OpId append, std::uint32_t position) const;
  [[nodiscard]] std::vector<OpId> own_appends(TxnId t, KeyId key) const;
  [[nodiscard]] std::optional<BadRead> bad_list_read(const Read& read) const;
  [[nodiscard]] bool breaks_up(OpId read, KeyId key) const;
  [[nodiscard]] bool fits(std::span<const Atom> list, KeyId key,
                          std::uint32_t position, OpId op) const;

  // Cycles.
  [[nodiscard]] std::optional<BadRead> bad_read() const;
  [[nodiscard]] std::optional<Cycle> cycle() const;
  [[nodiscard]] bool is_allowed(const Edge& edge) const;
  [[nodiscard]] bool is_premise_edge(const Edge& edge, const Edge& rw) const;
  [[nodiscard]] bool has_edge(const Edge& edge) const;

  const Excerpt& x_;
  std::span<const Assumption> assumptions_;
  std::vector<std::uint8_t> counts_;
  std::vector<Read> reads_;
  std::vector<std::vector<std::uint64_t>> happens_before_;
  std::vector<Link> links_;
};

}  // namespace txscope::check
