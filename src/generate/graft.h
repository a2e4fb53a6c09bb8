#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/history_builder.h"

namespace txscope::generate {

/// A copy of a history with operations and transactions added, on keys and
/// with values that the history does not have.
class Graft {
 public:
  explicit Graft(const History& history);

  /// A new register (which starts as 0) or list, and a new value.
  [[nodiscard]] std::int64_t fresh_key() { return next_key_++; }
  [[nodiscard]] std::int64_t fresh_value() { return next_value_++; }

  struct AddedOp {
    OpKind kind;
    std::int64_t key;
    std::int64_t value = 0;
    std::vector<std::int64_t> elements = {};  ///< of a ReadList
  };
  void add_first(TxnId t, AddedOp op) { changes_[t].first.push_back(op); }
  void add_last(TxnId t, AddedOp op) { changes_[t].last.push_back(op); }
  enum class Where : std::uint8_t {
    Beside,     ///< in a session of its own, at the same time
    After,      ///< in a session of its own, just later
    InSession,  ///< next in its session; only after the last transaction
  };
  /// A transaction more, so placed with respect to `other`.
  void add_txn(Where where, TxnId other, std::vector<AddedOp> ops,
               Status status = Status::Committed);

  [[nodiscard]] Result<History> finish();

 private:
  struct Change {
    std::vector<AddedOp> first;
    std::vector<AddedOp> last;
  };
  struct AddedTxn {
    Where where;
    TxnId other;
    std::vector<AddedOp> ops;
    Status status;
  };
  Atom copy(Atom atom);
  void copy_txn(TxnId t);
  void copy_op(const Op& op);
  void write(const AddedOp& op);

  const History& history_;
  HistoryBuilder builder_;
  std::vector<SessionId> sessions_;
  std::vector<KeyId> keys_;
  std::int64_t next_key_ = 0;
  std::int64_t next_value_ = 1;
  std::int64_t next_session_ = 1;
  std::map<TxnId, Change> changes_;
  std::vector<AddedTxn> added_;
};

}  // namespace txscope::generate
