#include "generate/graft.h"

#include <algorithm>
#include <utility>

namespace txscope::generate {
namespace {

// One more than the integer, if it is one and large.
void stay_above(Atom atom, std::int64_t& next) {
  if (atom.is_small_int()) next = std::max(next, atom.small_int() + 1);
}

}  // namespace

Graft::Graft(const History& history)
    : history_(history), builder_(history.files()[0]) {
  for (std::size_t k = 0; k < history.key_count(); ++k)
    stay_above(history.key(KeyId(k)), next_key_);
  for (const Op& op : history.ops())
    if (op.kind != OpKind::ReadList) stay_above(op.value, next_value_);
  for (const Session& session : history.sessions())
    stay_above(session.name, next_session_);
}

void Graft::add_txn(Where where, TxnId other, std::vector<AddedOp> ops,
                    Status status) {
  added_.push_back({where, other, std::move(ops), status});
}

Result<History> Graft::finish() {
  builder_.set_default_initial(builder_.atoms().of_int(0));
  builder_.set_judge_aborted(history_.judge_aborted());
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    const KeyId id(k);
    keys_.push_back(builder_.key(copy(history_.key(id))));
    if (history_.kind(id) == KeyKind::Register)
      builder_.set_initial(keys_.back(), copy(history_.initial(id)));
  }
  for (const Session& session : history_.sessions())
    sessions_.push_back(builder_.session(copy(session.name)));
  for (std::size_t t = 1; t < history_.size(); ++t) copy_txn(TxnId(t));
  for (const AddedTxn& txn : added_) {
    const Txn& other = history_.at(txn.other);
    builder_.begin(
        txn.where == Where::InSession
            ? sessions_[other.session.index]
            : builder_.session(builder_.atoms().of_int(next_session_++)));
    if (txn.where == Where::Beside)
      builder_.set_times(other.start, other.end);
    else if (other.end != Txn::kNoTime)
      builder_.set_times(other.end + 1, other.end + 1);
    for (const AddedOp& op : txn.ops) write(op);
    builder_.end(txn.status);
  }
  return std::move(builder_).finish();
}

void Graft::copy_txn(TxnId t) {
  const Txn& txn = history_.at(t);
  builder_.begin(sessions_[txn.session.index]);
  builder_.set_name(copy(txn.name));
  builder_.set_times(txn.start, txn.end);
  const auto change = changes_.find(t);
  const bool is_changed = change != changes_.end();
  if (is_changed)
    for (const AddedOp& op : change->second.first) write(op);
  for (const Op& op : history_.ops(t)) copy_op(op);
  if (is_changed)
    for (const AddedOp& op : change->second.last) write(op);
  builder_.end(txn.status);
}

void Graft::copy_op(const Op& op) {
  const KeyId key = keys_[op.key.index];
  switch (op.kind) {
    case OpKind::Read: builder_.read(key, copy(op.value)); return;
    case OpKind::Write: builder_.write(key, copy(op.value)); return;
    case OpKind::Append: builder_.append(key, copy(op.value)); return;
    case OpKind::ReadList: break;
  }
  std::vector<Atom> elements;
  for (const Atom element : history_.list(op))
    elements.push_back(copy(element));
  builder_.read_list(key, elements);
}

void Graft::write(const AddedOp& op) {
  const KeyId key = builder_.key(builder_.atoms().of_int(op.key));
  const Atom value = builder_.atoms().of_int(op.value);
  std::vector<Atom> elements;
  switch (op.kind) {
    case OpKind::Read: builder_.read(key, value); return;
    case OpKind::Write: builder_.write(key, value); return;
    case OpKind::Append: builder_.append(key, value); return;
    case OpKind::ReadList: break;
  }
  for (const std::int64_t element : op.elements)
    elements.push_back(builder_.atoms().of_int(element));
  builder_.read_list(key, elements);
}

Atom Graft::copy(Atom atom) {
  if (!atom.is_interned()) return atom;
  const std::string text = history_.atoms().text(atom);
  switch (history_.atoms().kind(atom)) {
    case AtomKind::String: return builder_.atoms().of_string(text);
    case AtomKind::Keyword: return builder_.atoms().of_keyword(text);
    case AtomKind::BigInt:
      return text.starts_with('-')
                 ? builder_.atoms().of_int(std::stoll(text))
                 : builder_.atoms().of_uint(std::stoull(text));
    case AtomKind::Null:
    case AtomKind::Int:
    case AtomKind::NoValue: break;
  }
  return atom;
}

}  // namespace txscope::generate
