#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/evidence.h"
#include "model/history.h"

namespace txscope {

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
/// is settled here.
class Facts {
 public:
  explicit Facts(const History& history);

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
  /// External reads of t with a possible writer, in program order.  Reads of
  /// lists are here, too: from the appender of the last element (before own
  /// appends), or from kInitial.
  [[nodiscard]] std::span<const Read> reads(TxnId t) const;
  /// Keys that t writes or appends to, ascending, once each; none if aborted.
  [[nodiscard]] std::span<const KeyId> writes(TxnId t) const;
  /// Committed and possibly committed writers of a key, in TxnId order (so in
  /// session order within each session), without kInitial.
  [[nodiscard]] std::span<const TxnId> writers(KeyId k) const;
  /// Appenders of a list whose order the reads show, oldest first, without
  /// kInitial.  Every other writer of the list comes after all of these.
  [[nodiscard]] std::span<const TxnId> version_order(KeyId k) const;

  /// Reads that no commit order can explain, by transactions that count.
  /// Incompatible ones contradict every level, the others read-committed and
  /// above.
  [[nodiscard]] std::span<const BadRead> bad_reads() const { return bad_; }

  /// True if a writer, an outcome or a list element is open.
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Who may have written what an open read saw, kInitial included; ascending.
  [[nodiscard]] std::span<const TxnId> candidates(OpId read) const;

 private:
  std::vector<Part> parts_;
  std::vector<BadRead> bad_;
  bool is_open_ = false;
  // The rest is up to facts.cpp: compressed rows by transaction and by key.
};

}  // namespace txscope
