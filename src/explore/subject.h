#pragma once

#include <span>
#include <vector>

#include "explore/schedule.h"
#include "model/answer.h"

namespace txscope {

/// What is explored: who runs what, how it runs, and how a run of it is told.
/// This one tells `.txn` programs; SQL applications have one of their own.
class Subject {
 public:
  Subject(const Workload& workload, const Code& code)
      : workload_(workload), code_(code) {}
  virtual ~Subject() = default;

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const Code& code() const { return code_; }
  /// None: the initial one.
  [[nodiscard]] std::optional<CallRef> call(InstanceId instance) const {
    if (instance == kInit) return std::nullopt;
    return call_of(code_, instance);
  }

  [[nodiscard]] virtual std::vector<Step> steps(
      std::span<const ScheduleStep> schedule) const;
  [[nodiscard]] virtual std::vector<FinalTable> finals(
      std::span<const FinalValue> values) const;
  /// Variables that a condition mentions, of transactions that have run: their
  /// slots by InstanceId (none: null) and the schedule, if there is one.
  [[nodiscard]] virtual std::vector<NamedValue> variables(
      const Code::Condition& condition,
      std::span<const std::int64_t* const> slots,
      std::span<const ScheduleStep> schedule) const;

 private:
  const Workload& workload_;
  const Code& code_;
};

}  // namespace txscope
