#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/evidence.h"
#include "model/history.h"
#include "model/sequence.h"

namespace txscope::check {

/// Some reads of a history, by operation; empty if there are none.
class ReadSet {
 public:
  [[nodiscard]] bool contains(OpId read) const {
    return read.index < has_.size() && has_[read.index] != 0;
  }
  /// False if it was there already.
  bool insert(OpId read) {
    if (has_.size() <= read.index) has_.resize(read.index + 1);
    return std::exchange(has_[read.index], std::uint8_t{1}) == 0;
  }
  void erase(OpId read) {
    if (read.index < has_.size()) has_[read.index] = 0;
  }

 private:
  std::vector<std::uint8_t> has_;
};

/// What a history says by itself about who read from whom: the common ground
/// of all checkers, computed once, in time linear in the operations (but for
/// one sort per key).
///
/// A transaction *counts* if it takes part in the commit order: kInitial, the
/// committed ones, those of unknown outcome that somebody who counts must have
/// read from, and, if the history judges them, the aborted ones (as readers
/// only).  Dropping an unknown transaction that nobody reads from only removes
/// constraints, so with unique values no outcome is ever open.
///
/// Where a value was written more than once, or an outcome depends on such a
/// read, the question stays open and only `search` decides it; everything else
/// is settled here.  Reads that are to be ignored are as if they were not
/// there: what contradicts a level without them contradicts it with them, too.
/// A transaction never reads externally from itself: its
/// own later writes are no candidates.
class Facts {
 public:
  /// Which reads are looked at.  At read-uncommitted only those of lists say
  /// anything; then those of registers are as if they were not there.
  enum class Scope : std::uint8_t { AllReads, ListReads };
  explicit Facts(const History& history, Scope scope = Scope::AllReads,
                 const ReadSet* ignored = nullptr);

  /// Open: of unknown outcome, and a read that is open itself, or one of a
  /// transaction that is Open, may have read from it.
  enum class Part : std::uint8_t { Out, In, Open };
  [[nodiscard]] Part part(TxnId t) const { return parts_[t.index]; }
  [[nodiscard]] bool counts(TxnId t) const {
    return parts_[t.index] == Part::In;
  }

  /// An external read: of `key`, by operation `op`, from `writer`, which is
  /// kNone if it is open; then candidates(op) has those who may have written.
  struct Read {
    KeyId key;
    OpId op;
    TxnId writer;
  };
  /// External reads of t with a possible writer, in program order; none if it
  /// is Out.  Reads of lists are here, too: from the appender of the last
  /// element (before own appends), or from kInitial.
  using ReadId = Id<struct ReadTag>;
  using Reads = Sequence<Facts, ReadId, Read>;
  [[nodiscard]] Reads reads(TxnId t) const {
    return {*this, read_begin_[t.index], read_begin_[t.index + 1]};
  }
  [[nodiscard]] Read at(ReadId read) const {
    const auto& [op, writer] = reads_[read.index];
    return {history_->key_of(op), op, writer};
  }
  /// Keys that t writes or appends to, ascending, once each; none if aborted.
  [[nodiscard]] std::span<const KeyId> writes(TxnId t) const {
    return row(writes_, write_begin_, t.index);
  }
  [[nodiscard]] bool writes_key(TxnId t, KeyId k) const;
  /// How many keys all together write, and those before t.
  [[nodiscard]] std::size_t write_count() const { return writes_.size(); }
  [[nodiscard]] std::uint32_t first_write(TxnId t) const {
    return write_begin_[t.index];
  }
  /// A key as somebody left it: kInitial, or a transaction that writes it.
  struct Version {
    std::uint32_t index;
    friend auto operator<=>(Version, Version) = default;
  };
  [[nodiscard]] Version version(KeyId key, TxnId writer) const;
  [[nodiscard]] std::size_t version_count() const {
    return history_->key_count() + write_count();
  }
  /// Committed and possibly committed writers of a key, in TxnId order (so in
  /// session order within each session), without kInitial.
  [[nodiscard]] std::span<const TxnId> writers(KeyId k) const {
    return row(writers_, writers_begin_, k.index);
  }
  /// The same of all keys, one after the other.
  [[nodiscard]] std::span<const TxnId> writers() const { return writers_; }
  /// Appenders of a list whose order the reads show, oldest first, once each,
  /// without kInitial.  Every other writer of the list comes after all of
  /// these.  Empty for registers and for open lists.
  [[nodiscard]] std::span<const TxnId> version_order(KeyId k) const {
    if (versions_.empty()) return {};
    return row(versions_, versions_begin_, k.index);
  }

  /// Reads that no commit order can explain, by transactions that count.
  /// Incompatible ones contradict every level, the others read-committed and
  /// above.
  [[nodiscard]] std::span<const BadRead> bad_reads() const { return bad_; }
  /// The same of transactions that are Open: reasons why they cannot have
  /// committed, at the same levels.
  [[nodiscard]] std::span<const BadRead> bad_reads_if_committed() const {
    return bad_if_committed_;
  }

  /// True if a writer, an outcome or a list element is open.
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Who may have written what an open read saw, kInitial included; ascending.
  /// May contain the reader itself, which is to be skipped (sets are shared:
  /// all reads of one value have one).  Overwritten writes are left out.
  [[nodiscard]] std::span<const TxnId> candidates(OpId read) const;

  /// True if the order of a list depends on a choice: an element that was read
  /// has several appends, or an Open transaction read the list.
  [[nodiscard]] bool list_is_open(KeyId k) const {
    return !open_lists_.empty() && open_lists_[k.index] != 0;
  }
  /// The longest external list read of k by a transaction that counts: all
  /// others that count are prefixes of it, by value, or bad.  kNone if there
  /// is none.
  [[nodiscard]] OpId longest_read(KeyId k) const;
  /// How many elements of a list read precede the reader's own appends.
  [[nodiscard]] std::uint32_t external_length(OpId list_read) const;
  /// The appends of `value` to the list k by transactions that are In or Open,
  /// ascending: who may be behind an element.
  [[nodiscard]] std::vector<OpId> appends(KeyId k, Atom value) const;

 private:
  friend class FactsBuilder;

  template <class T>
  static std::span<const T> row(const std::vector<T>& items,
                                const std::vector<std::uint32_t>& begin,
                                std::uint32_t i) {
    return std::span<const T>(items).subspan(begin[i], begin[i + 1] - begin[i]);
  }
  struct OpenRead {
    OpId op;
    std::uint32_t first, last;  // [first, last) of candidates_
  };

  /// A list read that ends in `length` appends of its own transaction.
  struct OwnTail {
    OpId read;
    std::uint32_t length;
  };
  struct ListAppend {
    KeyId key;
    Atom value;
    OpId op;
    friend auto operator<=>(const ListAppend&, const ListAppend&) = default;
  };

  const History* history_;
  std::vector<Part> parts_;
  // Compressed rows: those of i are [begin[i], begin[i + 1]).
  struct OpAndWriter {
    OpId op;
    TxnId writer;
  };
  std::vector<OpAndWriter> reads_;
  std::vector<std::uint32_t> read_begin_;
  std::vector<KeyId> writes_;
  std::vector<std::uint32_t> write_begin_;
  std::vector<TxnId> writers_;
  std::vector<std::uint32_t> writers_begin_;
  std::vector<TxnId> versions_;
  std::vector<std::uint32_t> versions_begin_;
  std::vector<BadRead> bad_;
  std::vector<BadRead> bad_if_committed_;
  std::vector<OpenRead> open_reads_;  // by op
  std::vector<TxnId> candidates_;
  std::vector<std::uint8_t> open_lists_;  // by key; empty if none is open
  std::vector<OpId> longest_;             // by key; empty if there are no lists
  std::vector<OwnTail> own_tails_;        // by read
  std::vector<bool> has_own_tail_;        // by operation; empty if none has
  std::vector<ListAppend> appends_;  // by key, value, op; only if one is open
  bool is_open_ = false;
};

}  // namespace txscope::check
