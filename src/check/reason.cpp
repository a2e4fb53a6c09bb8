#include <optional>

#include "check/anomaly.h"

namespace txscope {
namespace {

// "t3 (line 7)"
std::string with_place(const History& history, TxnId t) {
  const std::string where = history.where(t);
  return history.name(t) + (where.empty() ? "" : " (" + where + ")");
}

// The last operation by which t writes a key.
std::optional<OpId> last_write(const History& history, TxnId t, KeyId key) {
  const Txn& txn = history.at(t);
  for (std::uint32_t i = txn.end_op; i-- > txn.first_op;) {
    const Op& op = history.at(OpId(i));
    if (op.is_write() && op.key == key) return OpId(i);
  }
  return std::nullopt;
}

// "w(x)=2 of t2 (line 9)"
std::string write_of(const History& history, TxnId t, KeyId key) {
  const auto op = last_write(history, t, key);
  if (!op) return "the initial value of " + history.name(key);
  return history.describe(*op) + " of " + with_place(history, t);
}

std::string read_of(const History& history, OpId read) {
  return history.describe(read) + " of " +
         with_place(history, history.txn_of(read));
}

// Why the version of `key` by t1 is older than that by t2.  t1 may be unknown
// to the caller; then its name is left out.
std::string because(const History& history, const Edge& edge, KeyId key) {
  switch (edge.reason) {
    case WriteOrderReason::Initial: return "";
    case WriteOrderReason::Known:
      return "; the reads of list " + history.name(key) + " show the order";
    case WriteOrderReason::HappensBefore:
      return "; what was read happens before it, by the order and reads-from";
    case WriteOrderReason::Assumed:
      return "; in this case what was read is the older one";
    case WriteOrderReason::Forced:
      return "; what was read is older, because " +
             read_of(history, edge.forced_by) + " had to see it otherwise";
  }
  return "";
}

std::string write_order_reason(const History& history, const Edge& edge) {
  const std::string both = write_of(history, edge.from, edge.key) +
                           " is older than " +
                           write_of(history, edge.to, edge.key);
  switch (edge.reason) {
    case WriteOrderReason::Initial: return both;
    case WriteOrderReason::Known:
      return both + ": the reads of list " + history.name(edge.key) +
             " show it";
    case WriteOrderReason::HappensBefore:
      return both + ": " + history.name(edge.from) + " happens before " +
             history.name(edge.to);
    case WriteOrderReason::Assumed: return both + ", in this case";
    case WriteOrderReason::Forced:
      return both + ": " + read_of(history, edge.forced_by) + " is from " +
             history.name(edge.to) + " although " + history.name(edge.from) +
             ", which writes " + history.name(edge.key) +
             " too, was visible to it";
  }
  return both;
}

}  // namespace

std::string reason(const History& history, const Edge& edge) {
  const auto name = [&](TxnId t) { return with_place(history, t); };
  switch (edge.kind) {
    case EdgeKind::Session:
      if (edge.from == History::kInitial) return "init comes before everything";
      return name(edge.from) + " is before " + name(edge.to) + " in session " +
             history.name(history.at(edge.from).session);
    case EdgeKind::Realtime:
      if (edge.from == History::kInitial) return "init comes before everything";
      return name(edge.from) + " ended at " +
             std::to_string(history.at(edge.from).end) + ", before " +
             name(edge.to) + " started at " +
             std::to_string(history.at(edge.to).start);
    case EdgeKind::ReadsFrom:
      return read_of(history, edge.read) + " saw " +
             write_of(history, edge.from, edge.key);
    case EdgeKind::WriteOrder: return write_order_reason(history, edge);
    case EdgeKind::AntiDependency:
      return read_of(history, edge.read) + " did not see " +
             write_of(history, edge.to, edge.key) +
             because(history, edge, edge.key);
  }
  return "";
}

std::string reason(const History& history, const BadRead& bad) {
  const std::string read = read_of(history, bad.read);
  const std::string other =
      bad.other == kNone<OpId> ? "" : read_of(history, bad.other);
  switch (bad.kind) {
    case BadReadKind::Aborted:
      return read + " saw " + other + ", which aborted";
    case BadReadKind::Intermediate:
      return read + " saw " + other +
             ", which its own transaction overwrote afterwards";
    case BadReadKind::ThinAir: return read + " saw a value that nobody wrote";
    case BadReadKind::Internal:
      return read + " is not what the transaction itself had written" +
             (other.empty() ? "" : ": " + history.describe(bad.other));
    case BadReadKind::Incompatible:
      if (other.empty())
        return read + " has elements in an order that no run can give";
      return read + " and " + other + " cannot belong to one order of list " +
             history.name(history.at(bad.read).key);
    case BadReadKind::NoWriter:
      return read + " has no possible writer left in this case";
  }
  return read;
}

}  // namespace txscope
