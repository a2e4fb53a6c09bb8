#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/atom.h"
#include "model/atom_column.h"
#include "model/sequence.h"

namespace txscope {

enum class OpKind : std::uint8_t { Read, Write, Append, ReadList };
enum class Status : std::uint8_t { Committed, Aborted, Unknown };
enum class KeyKind : std::uint8_t { Register, List };

/// One operation.  `value` is what a Read saw, a Write wrote, an Append
/// appended; of a ReadList only History::list() knows the elements.
struct Op {
  KeyId key;
  OpKind kind;
  Atom value;

  [[nodiscard]] bool is_read() const {
    return kind == OpKind::Read || kind == OpKind::ReadList;
  }
  [[nodiscard]] bool is_write() const { return !is_read(); }
};

struct Txn {
  static constexpr std::int64_t kNoTime = INT64_MIN;

  SessionId session;           ///< of kInitial: kNone
  std::uint32_t first_op = 0;  ///< its operations are [first_op, end_op)
  std::uint32_t end_op = 0;
  Status status = Status::Committed;
  std::int64_t start = kNoTime;
  std::int64_t end = kNoTime;  ///< an Unknown transaction never has one
  Atom name;                   ///< the user's id; null if there is none
  std::uint32_t number = 0;    ///< position in its session, from 1
  std::uint32_t line = 0;      ///< where it begins in the input; 0 unknown
  std::uint32_t file = 0;      ///< index into History::files()
};

struct Session {
  Atom name;
  TxnId first;  ///< its transactions are [first, end), in session order
  TxnId end;
};

/// The elements that a list read saw.  Reads that are prefixes of one order,
/// as nearly all are, share one copy of it.
class ListView {
 public:
  ListView(const Atom* data, std::size_t size) : elements_(data, size) {}
  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] bool empty() const { return elements_.empty(); }
  Atom operator[](std::size_t i) const { return elements_[i]; }
  [[nodiscard]] Atom back() const { return elements_.back(); }
  [[nodiscard]] auto begin() const { return elements_.begin(); }
  [[nodiscard]] auto end() const { return elements_.end(); }
  [[nodiscard]] std::span<const Atom> span() const { return elements_; }

 private:
  std::span<const Atom> elements_;
};

/// One observed run of a database: what each session's transactions did and
/// what they saw.  Built once by HistoryBuilder, never changed afterwards, so
/// engines may read it from several threads.  It keeps columns, as narrow as
/// the input allows; a Txn or an Op is a value that is put together when
/// somebody asks.  The builder has established:
///   (H1) transaction kInitial has no operations of its own; it writes the
///        initial value of every register and leaves every list empty, is
///        committed, and precedes everything in every order;
///   (H2) the transactions of a session are adjacent and in session order;
///   (H3) a key is used as a register or as a list throughout;
///   (H4) start <= end where both are known; Unknown transactions have no end;
///   (H5) reads without a result have been left out, except that in a
///        committed transaction they saw null (or the empty list).
/// Nothing is said about whether the reads make sense; that is for `check`.
class History {
 public:
  static constexpr TxnId kInitial = TxnId(0);

  using Txns = Sequence<History, TxnId, Txn>;
  using Ops = Sequence<History, OpId, Op>;

  /// All transactions; the first is kInitial.
  [[nodiscard]] Txns txns() const { return {*this, 0, size()}; }
  [[nodiscard]] Txn at(TxnId t) const;
  [[nodiscard]] std::size_t size() const { return txns_.size(); }

  [[nodiscard]] Ops ops() const { return {*this, 0, op_keys_.size()}; }
  [[nodiscard]] Op at(OpId op) const {
    return {op_keys_[op.index].key(), op_keys_[op.index].kind(),
            op_values_[op.index]};
  }
  [[nodiscard]] KeyId key_of(OpId op) const { return op_keys_[op.index].key(); }
  [[nodiscard]] Ops ops(TxnId t) const {
    return {*this, txns_[t.index].first_op, end_op(t)};
  }
  /// The transaction that an operation belongs to; logarithmic.
  [[nodiscard]] TxnId txn_of(OpId op) const;
  [[nodiscard]] ListView list(OpId read) const { return list(at(read)); }
  [[nodiscard]] ListView list(const Op& read) const;

  [[nodiscard]] std::span<const Session> sessions() const { return sessions_; }
  [[nodiscard]] std::size_t key_count() const { return key_names_.size(); }
  [[nodiscard]] Atom key(KeyId k) const { return key_names_[k.index]; }
  [[nodiscard]] KeyKind kind(KeyId k) const { return key_kinds_[k.index]; }
  /// What a register holds before anybody wrote it; may be Atom::no_value().
  [[nodiscard]] Atom initial(KeyId k) const {
    return initials_.empty() ? default_initial_ : initials_[k.index];
  }
  [[nodiscard]] const AtomTable& atoms() const { return atoms_; }

  /// True if the reads of aborted transactions are judged as well.
  [[nodiscard]] bool judge_aborted() const { return judge_aborted_; }
  [[nodiscard]] bool is_committed(TxnId t) const {
    return status(t) == Status::Committed;
  }
  /// True if the reads of t constrain: not for aborted ones, unless asked.
  [[nodiscard]] bool is_judged(TxnId t) const {
    return status(t) != Status::Aborted || judge_aborted_;
  }

  /// A key or a value as reports show it: on one line.
  [[nodiscard]] std::string shown(Atom atom) const;
  /// "init", the user's id, or `session#number`.  All names are for people:
  /// control characters are shown as escapes.
  [[nodiscard]] std::string name(TxnId t) const;
  [[nodiscard]] std::string name(SessionId s) const;
  /// As it was written: keywords with their colon.
  [[nodiscard]] std::string name(KeyId k) const;
  /// "r(x)=1", "w(x)=2", "append(l)=3", "r(l)=[.. 41 42]".
  [[nodiscard]] std::string describe(OpId op) const;
  /// The same with all elements of a list.
  [[nodiscard]] std::string describe_whole(OpId op) const;
  [[nodiscard]] Place place(TxnId t) const;
  /// Short, for sentences: "line 7", or "T3.log:7" if there are several files;
  /// empty if no line is known.
  [[nodiscard]] std::string where(TxnId t) const;
  [[nodiscard]] Place place(OpId op) const;
  [[nodiscard]] std::span<const std::string> files() const { return files_; }

 private:
  [[nodiscard]] std::string describe(OpId op, std::size_t most,
                                     std::size_t last) const;
  friend class HistoryBuilder;

  /// A key and what is done to it, in one word.
  class KeyAndKind {
   public:
    static constexpr std::uint32_t kMaxKeys = 1u << 30;
    KeyAndKind(KeyId key, OpKind kind)
        : bits_(key.index << 2 | static_cast<std::uint32_t>(kind)) {}
    [[nodiscard]] KeyId key() const { return KeyId(bits_ >> 2); }
    [[nodiscard]] OpKind kind() const { return static_cast<OpKind>(bits_ & 3); }

   private:
    std::uint32_t bits_;
  };
  /// What every transaction has.  Its operations end where those of the next
  /// one begin.
  struct TxnRow {
    SessionId session;
    std::uint32_t first_op = 0;
    std::uint32_t line = 0;
    std::uint32_t file : 30 = 0;
    std::uint32_t status : 2 = 0;
  };
  struct Times {
    std::int64_t start = Txn::kNoTime;
    std::int64_t end = Txn::kNoTime;
  };
  [[nodiscard]] std::uint32_t end_op(TxnId t) const {
    return t.index + 1 < txns_.size()
               ? txns_[t.index + 1].first_op
               : static_cast<std::uint32_t>(op_keys_.size());
  }
  [[nodiscard]] Status status(TxnId t) const {
    return static_cast<Status>(txns_[t.index].status);
  }

  std::vector<TxnRow> txns_;
  std::vector<Times> times_;  // by transaction; empty if nobody has any
  AtomColumn txn_names_;      // the same
  std::vector<KeyAndKind> op_keys_;
  AtomColumn op_values_;
  std::vector<std::uint32_t> op_lines_;  // empty if a transaction is one line
  std::vector<Session> sessions_;
  AtomColumn key_names_;
  std::vector<KeyKind> key_kinds_;
  AtomColumn initials_;  // by key; empty if all have the default
  Atom default_initial_;
  // By key: the longest list read that others prefix; empty without lists.
  std::vector<std::vector<Atom>> chains_;
  std::vector<Atom> strays_;  // list reads that are no prefix of their chain
  AtomTable atoms_;
  std::vector<std::string> files_;
  bool judge_aborted_ = false;
};

inline Txn History::at(TxnId t) const {
  const TxnRow& row = txns_[t.index];
  const Times times = times_.empty() ? Times{} : times_[t.index];
  return {
      .session = row.session,
      .first_op = row.first_op,
      .end_op = end_op(t),
      .status = status(t),
      .start = times.start,
      .end = times.end,
      .name = txn_names_.empty() ? Atom() : txn_names_[t.index],
      .number = row.session == kNone<SessionId>
                    ? 0
                    : t.index - sessions_[row.session.index].first.index + 1,
      .line = row.line,
      .file = row.file};
}

}  // namespace txscope
