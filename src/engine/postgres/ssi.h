#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace txscope::engine {

/// A set of transactions of Ssi, by their slots.
using TxnSet = std::uint64_t;

/// Which serializable transactions read what others overwrote, and who has to
/// fail for it.
///
/// Definition.  PostgreSQL's serializable snapshot isolation (Cahill, Roehm and
/// Fekete, SIGMOD 2008; Ports and Grittner, VLDB 2012): a transaction fails if
/// it may be the middle of T1 -rw-> T2 -rw-> T3 with T3 the first to commit.
/// Method.  A graph of rw-conflicts between transactions that overlapped; the
/// tests of Ports and Grittner, section 4.2 and 5.4, in PostgreSQL's order, so
/// that the same transaction is chosen to fail: the writer in the middle, who
/// is doomed and learns it at his next step, or, if that one has committed, the
/// reader.
/// Invariant.  A slot is in use while its transaction runs, or has committed
/// and overlapped one that still runs.
class Ssi {
 public:
  /// Whether begin() has a slot left.
  [[nodiscard]] bool is_full() const;
  /// A transaction begins with a snapshot; its slot.
  std::uint8_t begin(std::uint8_t session, std::int32_t snapshot);
  /// `reader` read what `writer` overwrites, and `me` is one of them.  False:
  /// `me` has to fail.
  [[nodiscard]] bool conflict(std::uint8_t reader, std::uint8_t writer,
                              std::uint8_t me);
  /// Conflicts with those of `readers` that overlap `me`, who writes.
  [[nodiscard]] bool write(TxnSet readers, std::uint8_t me);
  /// Conflicts with those of `writers` that `me` does not see.
  [[nodiscard]] bool read(TxnSet writers, std::uint8_t me);
  /// Just before `me` commits, as commit number `stamp`.  False: it must fail.
  [[nodiscard]] bool commit(std::uint8_t me, std::int32_t stamp);
  void abort(std::uint8_t me);

  [[nodiscard]] bool is_doomed(std::uint8_t slot) const {
    return txns_[slot].is_doomed;
  }
  /// The slot of a session's running transaction, if that is serializable.
  [[nodiscard]] std::optional<std::uint8_t> find_slot(
      std::uint8_t session) const;
  [[nodiscard]] std::uint8_t slot_of(std::uint8_t session) const {
    return *find_slot(session);
  }
  /// Of `writers`, the one that committed first after `snapshot`, if any.
  [[nodiscard]] TxnSet first_after(TxnSet writers, std::int32_t snapshot) const;
  /// Frees the slots that no invariant keeps; they are to be taken out of all
  /// sets that others hold.
  [[nodiscard]] TxnSet release();

  struct Txn {
    bool is_used = false;
    bool is_committed = false;
    bool is_doomed = false;
    bool is_read_only = false;  ///< known when it commits
    bool did_write = false;
    /// It had a conflict out to one that committed before it.
    bool has_conflict_out = false;
    std::uint8_t session = 0;
    std::int32_t snapshot = 0;
    std::int32_t commit = 0;
    TxnSet in = 0;   ///< readers whose reads it overwrote
    TxnSet out = 0;  ///< writers that overwrote its reads
  };
  [[nodiscard]] const std::vector<Txn>& txns() const { return txns_; }
  /// Slots in an order that does not depend on their numbers: running ones by
  /// session, then committed ones by commit.
  [[nodiscard]] std::vector<std::uint8_t> canonical_order(
      const std::function<std::uint8_t(std::uint8_t)>& name) const;

 private:
  [[nodiscard]] bool has_dangerous_structure(const Txn& reader,
                                             const Txn& writer) const;
  void forget(std::uint8_t slot);

  std::vector<Txn> txns_;
};

}  // namespace txscope::engine
