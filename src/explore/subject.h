#pragma once

#include <span>
#include <vector>

#include "explore/observed.h"
#include "explore/schedule.h"
#include "model/answer.h"

namespace txscope::explore {

/// What is explored: who runs what, how it runs, and how a run of it is told.
class Subject {
 public:
  Subject(const Workload& workload, const exec::Script& script)
      : workload_(workload), script_(script) {}
  virtual ~Subject() = default;

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const exec::Script& script() const { return script_; }
  /// None: the initial one.
  [[nodiscard]] std::optional<CallRef> call(exec::InstanceId instance) const {
    if (instance == exec::kInit) return std::nullopt;
    return script_.call_of(instance);
  }

  [[nodiscard]] virtual std::vector<Step> steps(
      std::span<const ScheduleStep> schedule) const = 0;
  [[nodiscard]] virtual std::vector<FinalTable> finals(
      std::span<const FinalValue> values) const = 0;
  /// Variables that a condition mentions, of transactions that have run: their
  /// slots by InstanceId (none: null) and the schedule, if there is one.
  [[nodiscard]] virtual std::vector<NamedValue> variables(
      std::size_t condition, std::span<const std::int64_t* const> slots,
      std::span<const ScheduleStep> schedule) const = 0;
  /// The part of a condition that decides that it is false, with the rows of
  /// the end and these variables: Counterexample::numbers.
  [[nodiscard]] virtual std::string numbers(std::size_t,
                                            std::span<const FinalTable>,
                                            std::span<const NamedValue>) const {
    return "";
  }
  /// None if outcomes of it are not told that way.
  [[nodiscard]] virtual std::optional<Observed> observed() const {
    return std::nullopt;
  }

 private:
  const Workload& workload_;
  const exec::Script& script_;
};

/// A `.txn` program.
class ProgramSubject final : public Subject {
 public:
  ProgramSubject(const Workload& workload, const exec::Code& code)
      : Subject(workload, code), code_(code) {}

  [[nodiscard]] std::vector<Step> steps(
      std::span<const ScheduleStep> schedule) const override;
  [[nodiscard]] std::vector<FinalTable> finals(
      std::span<const FinalValue> values) const override;
  [[nodiscard]] std::vector<NamedValue> variables(
      std::size_t condition, std::span<const std::int64_t* const> slots,
      std::span<const ScheduleStep> schedule) const override;
  [[nodiscard]] std::optional<Observed> observed() const override;

 private:
  const exec::Code& code_;
};

}  // namespace txscope::explore
