#pragma once

#include <map>

#include "robust/lens.h"

namespace txscope::robust {

/// Which reads of one history depend on which writes, as a lens sees it.  The
/// transactions are run again to know their statements.
class Dependence {
 public:
  Dependence(const exec::Script& script,
             const explore::ExploredHistory& history, Lens& lens,
             Granularity granularity);

  void set_granularity(Granularity granularity) { granularity_ = granularity; }

  /// The statements of a transaction's reads, counted from 1: one reads a row
  /// once.
  [[nodiscard]] std::vector<std::int64_t> statements(
      exec::InstanceId reader) const;
  /// Reads of rows that the transaction has changed before.
  [[nodiscard]] const std::vector<std::pair<std::size_t, TransactionRun::Read>>&
  own_reads(exec::InstanceId reader) const {
    return runs_.at(reader).own_reads;
  }
  /// Whether read number `read` of a transaction depends on a write of that row
  /// that finds `before` there.
  [[nodiscard]] bool depends(exec::InstanceId reader, std::size_t read,
                             exec::InstanceId writer,
                             std::int64_t before) const;
  [[nodiscard]] bool depends(exec::InstanceId reader,
                             const TransactionRun::Read& read,
                             exec::InstanceId writer,
                             std::int64_t before) const;

 private:
  Lens& lens_;
  Granularity granularity_;
  std::map<exec::InstanceId, TransactionRun> runs_;
};

}  // namespace txscope::robust
