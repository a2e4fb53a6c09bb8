#include "generate/dirty_store.h"

#include <algorithm>

namespace txscope::generate {

StepEnd DirtyStore::step(RunningTxn& txn, std::int64_t now) {
  if (txn.phase == RunningTxn::Phase::New) {
    if (!take_locks(txn)) return StepEnd::Waits;
    txn.start = now;
    txn.phase = RunningTxn::Phase::Running;
    return StepEnd::Ran;
  }
  if (txn.next_op < txn.ops.size()) {
    run(txn, txn.next_op++);
    return StepEnd::Ran;
  }
  end(txn);
  txn.end = now + 1;
  return StepEnd::Ended;
}

bool DirtyStore::take_locks(const RunningTxn& txn) {
  for (const SimulatedOp& op : txn.ops) {
    add_key(op.key);
    if (!op.is_read() && owner_[op.key] != 0) return false;
  }
  for (const SimulatedOp& op : txn.ops) {
    if (op.is_read()) continue;
    owner_[op.key] = txn.session + 1;
    settled_[op.key] = value_[op.key];
  }
  return true;
}

void DirtyStore::run(RunningTxn& txn, std::size_t i) {
  SimulatedOp& op = txn.ops[i];
  switch (op.kind) {
    case OpKind::Read: op.value = value_[op.key]; return;
    case OpKind::Write: value_[op.key] = op.value; return;
    case OpKind::Append:
      if (takes_effect(txn.fate)) lists_[op.key].push_back(op.value);
      return;
    case OpKind::ReadList: break;
  }
  op.value = static_cast<std::int64_t>(lists_[op.key].size());
  if (!takes_effect(txn.fate)) return;
  for (std::size_t j = 0; j < i; ++j)
    if (txn.ops[j].key == op.key && !txn.ops[j].is_read()) --op.value;
}

void DirtyStore::end(RunningTxn& txn) {
  for (const SimulatedOp& op : txn.ops) {
    if (op.is_read()) continue;
    if (!takes_effect(txn.fate)) value_[op.key] = settled_[op.key];
    owner_[op.key] = 0;
  }
}

void DirtyStore::add_key(std::uint32_t key) {
  if (key < value_.size()) return;
  const std::size_t size = std::max<std::size_t>(key + 1, value_.size() * 2);
  value_.resize(size, 0);
  settled_.resize(size, 0);
  owner_.resize(size, 0);
  lists_.resize(size);
}

}  // namespace txscope::generate
