#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/history.h"

namespace txscope::certify {

/// What a history says by itself, for certify() alone: which reads are
/// external, who wrote which value, who appended what.  The checkers have
/// their own; sharing it would share its mistakes.
///
/// A read is *internal* if its transaction wrote the key before, and must
/// return that.  Of a list, what precedes the own appends is external.  A write
/// is visible to others if it is the last of its transaction and key and the
/// transaction is not aborted.
class Reading {
 public:
  explicit Reading(const History& history);

  struct External {
    OpId op;
    KeyId key;
    TxnId reader;
    bool is_list;
    std::uint32_t length;  ///< of a list: elements before the own appends
  };
  /// Internal reads that do not return what `own`, the latest own write, wrote.
  struct Wrong {
    OpId op;
    OpId own;
  };
  struct Write {
    KeyId key;
    TxnId txn;
    Atom value;
    OpId op;
  };

  [[nodiscard]] const History& history() const { return history_; }
  /// External reads of t, in program order.
  [[nodiscard]] std::span<const External> reads(TxnId t) const;
  /// The external read that `op` is, or null.
  [[nodiscard]] const External* external(OpId op) const;
  [[nodiscard]] std::span<const Wrong> wrong() const { return wrong_; }
  /// The elements of a list read before the own appends.
  [[nodiscard]] std::span<const Atom> elements(const External& read) const {
    return history_.list(read.op).span().first(read.length);
  }
  /// Reads of a list, in the order of their operations.
  [[nodiscard]] std::span<const External> list_reads(KeyId k) const;

  /// Last writes, by transactions that are not aborted, of `value` to the
  /// register k; ascending by transaction.  kInitial is not among them.
  [[nodiscard]] std::span<const Write> writes_of(KeyId k, Atom value) const;
  /// Appends, by transactions that are not aborted, of `value` to the list k.
  [[nodiscard]] std::span<const Write> appends_of(KeyId k, Atom value) const;
  /// The appends of t to k in program order; none if t is aborted.
  [[nodiscard]] std::vector<OpId> appends(TxnId t, KeyId k) const;

  /// Keys that t writes, ascending; none if it is aborted or kInitial.
  [[nodiscard]] std::span<const KeyId> keys(TxnId t) const;
  [[nodiscard]] bool writes(TxnId t, KeyId k) const;
  /// Transactions that write k and are not aborted, ascending.
  [[nodiscard]] std::span<const TxnId> writers(KeyId k) const;

 private:
  /// Rows of different lengths in one vector.
  template <class T>
  struct Rows {
    std::vector<std::uint32_t> first;
    std::vector<T> items;
    [[nodiscard]] std::span<const T> row(std::size_t i) const {
      return std::span(items).subspan(first[i], first[i + 1] - first[i]);
    }
  };

  void read_txn(TxnId t);
  void index_by_key();
  static std::span<const Write> with_value(std::span<const Write> row,
                                           Atom value);

  const History& history_;
  Rows<External> reads_;       // by transaction
  Rows<KeyId> keys_;           // by transaction
  Rows<TxnId> writers_;        // by key
  Rows<Write> last_writes_;    // by key; sorted by value, transaction
  Rows<Write> appends_;        // by key; sorted by value, operation
  Rows<External> list_reads_;  // by key
  std::vector<Wrong> wrong_;
  // While reading: the writes found so far, and per key the latest own write.
  std::vector<Write> found_writes_;
  std::vector<Write> found_appends_;
  std::vector<OpId> own_write_;
  std::vector<TxnId> own_writer_;
  std::vector<std::uint32_t> own_appends_;
};

}  // namespace txscope::certify
