#pragma once

#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/history.h"
#include "model/key_table.h"

namespace txscope {

/// Builds a History, operation by operation, in whatever order the input has.
///
///     HistoryBuilder builder("h.jsonl");
///     const SessionId a = builder.session(builder.atoms().of_string("a"));
///     builder.begin(a);
///     builder.write(builder.key(builder.atoms().of_string("x")),
///                   builder.atoms().of_int(1));
///     builder.commit();
///     Result<History> history = std::move(builder).finish();
///
/// Transactions of one session must be begun in session order; those of
/// different sessions may come in any order, one at a time.  Misuse that an
/// input can cause is reported by finish() (or by the call) as an Error with
/// the place that was current then; misuse by our own code is asserted.
class HistoryBuilder {
 public:
  explicit HistoryBuilder(std::string file_name);

  [[nodiscard]] AtomTable& atoms() { return history_.atoms_; }

  /// The session of that name, created when first named.
  SessionId session(Atom name);
  /// A session that no name can reach, for transactions without one.  Shown
  /// as `#1`, `#2`, ...
  SessionId anonymous_session();
  /// The key of that name, created when first named.
  KeyId key(Atom name) {
    const auto known = key_table_.find(name);
    if (known.is_absent()) return add_key(name);
    last_named_ = {name, KeyId(known.number), static_cast<Use>(known.mark)};
    return last_named_.key;
  }
  /// The same; nothing if it was not named before.
  [[nodiscard]] std::optional<KeyId> find_key(Atom name) const {
    const auto known = key_table_.find(name);
    if (known.is_absent()) return std::nullopt;
    return KeyId(known.number);
  }
  /// Says that key() will be asked for this name soon.
  [[gnu::always_inline]] void expect_key(Atom name) const {
    key_table_.prefetch(name);
  }

  /// Further input files (a directory of logs).  Later places are in it.
  void next_file(std::string file_name);
  /// The line that later begin() and operations come from.
  void at_line(std::uint64_t line) { line_ = static_cast<std::uint32_t>(line); }
  /// Keep a line for every operation, not just for every transaction.
  void keep_op_lines() { keep_op_lines_ = true; }

  void set_initial(KeyId key, Atom value);
  /// The initial value of registers without one of their own; at first null.
  void set_default_initial(Atom value) { history_.default_initial_ = value; }
  void set_judge_aborted(bool judge) { history_.judge_aborted_ = judge; }

  void begin(SessionId session);
  /// Moves the open transaction to another session, for inputs that name the
  /// session after the operations.
  void set_session(SessionId session) { txn().session = session; }
  /// Opens an ended transaction again: its further operations follow those it
  /// has.  `number` counts the calls of begin(), from 1.
  void reopen(std::size_t number);
  void set_name(Atom name);
  void set_times(std::int64_t start, std::int64_t end);
  void read(KeyId key, Atom value) { add({key, OpKind::Read, value}); }
  void write(KeyId key, Atom value) { add({key, OpKind::Write, value}); }
  void append(KeyId key, Atom value) { add({key, OpKind::Append, value}); }
  void read_list(KeyId key, std::span<const Atom> elements) {
    read_list(key, 0, elements);
  }
  /// The same of a list that begins with the first `known` elements of the
  /// longest one that was read of the key.  False if the rest is none of it and
  /// does not continue it.
  bool read_list(KeyId key, std::size_t known, std::span<const Atom> rest);
  /// A read that saw nothing, in a format that does not say of what kind: of a
  /// register this value, of a list the empty one.
  void read_nothing(KeyId key, Atom of_register = Atom::null());
  void end(Status status);
  void commit() { end(Status::Committed); }

  /// Of a history that is finished, before anybody has looked at it: for
  /// readers, where the user says how registers start.
  static AtomTable& atoms(History& history) { return history.atoms_; }
  static void set_initial(History& history, KeyId key, Atom value);

  [[nodiscard]] std::size_t key_count() const { return history_.key_count(); }
  [[nodiscard]] std::size_t txn_count() const {
    return history_.txns_.size() - 1;
  }
  /// The first thing that was wrong so far, for readers that know the place
  /// better.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  /// The finished history, or the first thing that was wrong with the input: a
  /// key used both as register and as list, a duplicate transaction id, a
  /// transaction that ends before it starts, more than 2^32 operations.
  [[nodiscard]] Result<History> finish() &&;

 private:
  /// Operations that were added to a transaction after others had begun.
  struct Addition {
    std::size_t txn;
    std::uint32_t first_op;
    std::uint32_t end_op;
  };

  enum class Use : std::uint8_t { None, Register, List };

  History::TxnRow& txn() { return history_.txns_[open_]; }
  KeyId add_key(Atom name);
  // Called once per operation, so a part of every reader's inner loop.
  void add(Op op) {
    assert(is_open_ && "an operation needs an open transaction");
    const Use wanted = op.kind == OpKind::Append || op.kind == OpKind::ReadList
                           ? Use::List
                           : Use::Register;
    if (last_named_.key != op.key || last_named_.use != wanted)
      use(op.key, wanted);
    push(op);
  }
  void push(Op op) {
    if (history_.op_keys_.size() >= kMaxOps) return fail_with_too_many_ops();
    history_.op_keys_.emplace_back(op.key, op.kind);
    history_.op_values_.push_back(op.value);
    if (keep_op_lines_) history_.op_lines_.push_back(line_);
  }
  void use(KeyId key, Use wanted);
  void fail_with_too_many_ops();
  void settle_reads_of_nothing();
  void fail(std::string what, std::string hint);
  void settle_initial_values();
  void join_additions();
  void group_by_session();
  void sort_by_session();
  void move_ops();
  [[nodiscard]] bool names_are_ascending() const;
  void check_names();

  static constexpr std::size_t kMaxOps = 0xfffffff0u;

  History history_;
  std::vector<std::uint32_t> end_ops_;  // by transaction, without additions
  bool keep_op_lines_ = false;
  bool has_reads_of_nothing_ = false;
  bool is_open_ = false;
  std::size_t open_ = 0;           // the transaction that is open
  std::uint32_t piece_first_ = 0;  // its first operation since it was opened
  std::vector<Addition> additions_;
  std::uint32_t line_ = 0;
  std::uint32_t anonymous_ = 0;
  std::vector<Use> key_use_;
  struct NamedKey {
    Atom name;
    KeyId key = kNone<KeyId>;
    Use use = Use::None;
  };
  NamedKey last_named_;  // by key(); mostly the next to be used
  std::vector<std::uint8_t> key_has_initial_;  // empty if none has
  KeyTable key_table_;
  std::unordered_map<std::uint64_t, SessionId> session_index_;
  std::optional<Error> error_;
};

}  // namespace txscope
