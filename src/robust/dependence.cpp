#include "robust/dependence.h"

#include <set>

namespace txscope::robust {

Dependence::Dependence(const exec::Script& script,
                       const explore::ExploredHistory& history, Lens& lens,
                       Granularity granularity)
    : lens_(lens), granularity_(granularity) {
  for (const auto& txn : history.txns)
    runs_.emplace(txn.instance, run_again(lens.runner(), script, txn));
}

std::vector<std::int64_t> Dependence::statements(
    exec::InstanceId reader) const {
  std::vector<std::int64_t> out;
  std::set<KeyId> rows;  // of the statement
  std::int64_t number = 0;
  const TransactionRun::Read* before = nullptr;
  for (const auto& read : runs_.at(reader).reads) {
    const bool is_same =
        before != nullptr && before->pc == read.pc && !rows.contains(read.key);
    if (!is_same) {
      ++number;
      rows.clear();
    }
    rows.insert(read.key);
    out.push_back(number);
    before = &read;
  }
  return out;
}

bool Dependence::depends(exec::InstanceId reader, std::size_t read,
                         exec::InstanceId writer, std::int64_t before) const {
  return depends(reader, runs_.at(reader).reads[read], writer, before);
}

bool Dependence::depends(exec::InstanceId reader,
                         const TransactionRun::Read& seen,
                         exec::InstanceId writer, std::int64_t before) const {
  const TransactionRun& by = runs_.at(reader);
  const TransactionRun& other = runs_.at(writer);
  for (const auto& write : other.writes) {
    if (write.key != seen.key) continue;
    return lens_.depends(by, seen,
                         {write.key, before, write.value, &other, write.pcs},
                         granularity_);
  }
  return false;
}

}  // namespace txscope::robust
