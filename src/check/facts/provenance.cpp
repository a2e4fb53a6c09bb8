#include "check/facts/provenance.h"

namespace txscope::check {
namespace {

// What an external read saw: the value of a register, or the last element of a
// list before the reader's own appends, null if it is empty.  Nothing if the
// read is internal.
std::optional<Atom> seen_by(const History& history, OpId read) {
  const Op& op = history.at(read);
  std::size_t own = 0;
  for (std::uint32_t i = history.at(history.txn_of(read)).first_op;
       i < read.index; ++i) {
    const Op& earlier = history.at(OpId(i));
    if (earlier.key == op.key && earlier.is_write()) ++own;
  }
  if (op.kind == OpKind::Read)
    return own == 0 ? std::optional(op.value) : std::nullopt;
  const ListView list = history.list(op);
  if (own > list.size()) return std::nullopt;
  return own == list.size() ? Atom::null() : list[list.size() - own - 1];
}

bool has_version(const History& history, TxnId t, KeyId key, Atom value) {
  if (t == History::kInitial)
    return history.kind(key) == KeyKind::List ? value.is_null()
                                              : value == history.initial(key);
  if (history.at(t).status == Status::Aborted) return false;
  const auto write = last_write(history, t, key);
  return write && history.at(*write).value == value;
}

}  // namespace

std::optional<OpId> last_write(const History& history, TxnId t, KeyId key) {
  const Txn& txn = history.at(t);
  for (std::uint32_t i = txn.end_op; i-- > txn.first_op;) {
    const Op& op = history.at(OpId(i));
    if (op.is_write() && op.key == key) return OpId(i);
  }
  return std::nullopt;
}

bool may_read_from(const History& history, OpId read, TxnId t) {
  const auto value = seen_by(history, read);
  return value && t != history.txn_of(read) &&
         has_version(history, t, history.at(read).key, *value);
}

std::optional<TxnId> only_writer(const History& history, OpId read) {
  const auto value = seen_by(history, read);
  if (!value) return std::nullopt;
  const TxnId reader = history.txn_of(read);
  std::optional<TxnId> found;
  for (std::size_t t = 0; t < history.size(); ++t) {
    if (TxnId(t) == reader ||
        !has_version(history, TxnId(t), history.at(read).key, *value))
      continue;
    if (found) return std::nullopt;
    found = TxnId(t);
  }
  return found;
}

std::optional<Edge> direct_edge(const History& history, TxnId a, TxnId b) {
  const Txn& first = history.at(a);
  const Txn& second = history.at(b);
  Edge edge{.from = a, .to = b};
  for (std::uint32_t i = second.first_op; i < second.end_op; ++i) {
    if (!history.at(OpId(i)).is_read() || !may_read_from(history, OpId(i), a))
      continue;
    edge.kind = EdgeKind::ReadsFrom;
    edge.key = history.at(OpId(i)).key;
    edge.read = OpId(i);
    return edge;
  }
  if (first.session == second.session && a < b) return edge;
  edge.kind = EdgeKind::Realtime;
  if (first.end != Txn::kNoTime && second.start != Txn::kNoTime &&
      first.end < second.start)
    return edge;
  return std::nullopt;
}

}  // namespace txscope::check
