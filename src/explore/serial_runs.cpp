#include <algorithm>

#include "explore/explain.h"

namespace txscope::explore {
namespace {

class SerialRuns {
 public:
  SerialRuns(const Subject& subject,
             const std::vector<exec::InstanceId>& instances,
             const SerialQuestion& question, std::uint64_t loop_bound,
             std::size_t most, const Budget& budget)
      : subject_(subject),
        script_(subject.script()),
        question_(question),
        budget_(budget),
        runner_(script_.make_runner(loop_bound, budget_)),
        most_(most) {
    runner_->trace_failures(&failures_);
    for (const exec::InstanceId i : instances) {
      const std::uint32_t session = script_.instances[i.index].session;
      if (sessions_.empty() || last_session_ != session) {
        sessions_.emplace_back();
      }
      last_session_ = session;
      sessions_.back().push_back(i);
      ++total_;
    }
    next_.resize(sessions_.size());
  }

  std::vector<SerialRun> run() {
    extend();
    if (runs_.size() > most_ || budget_.spent()) runs_.clear();
    return std::move(runs_);
  }

 private:
  // Depth: the number of transactions of a reduced violation.
  void extend() {
    if (runs_.size() > most_ || budget_.spent()) return;
    if (order_.size() == total_) {
      execute();
      return;
    }
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      if (next_[s] == sessions_[s].size()) continue;
      order_.push_back(sessions_[s][next_[s]++]);
      extend();
      --next_[s];
      order_.pop_back();
    }
  }

  void execute() {
    SerialRun run;
    for (const exec::InstanceId i : order_)
      run.order.push_back(*subject_.call(i));
    std::vector<std::int64_t> state = script_.initial;
    std::vector<exec::InstanceId> writers(state.size(), exec::kInit);
    std::vector<std::vector<std::int64_t>> slots(script_.instances.size());
    failures_.clear();
    bool has_fault = false;
    for (const exec::InstanceId instance : order_) {
      auto& own = slots[instance.index];
      own.resize(script_.max_slots);
      std::vector<std::int64_t> after = state;
      std::vector<KeyId> written;
      exec::Event event = runner_->start(instance, own.data());
      while (event.stop == exec::Stop::Read ||
             event.stop == exec::Stop::Write) {
        if (event.stop == exec::Stop::Read) {
          event = runner_->answer(event.pc, after[event.key.index], own.data());
        } else {
          after[event.key.index] = event.value;
          written.push_back(event.key);
          event = runner_->resume(event.pc, own.data());
        }
      }
      // An order that an assumption excludes, or that is cut, says nothing.
      if (event.stop == exec::Stop::Assume || event.stop == exec::Stop::Bound)
        return;
      if (event.stop == exec::Stop::Fault) {
        has_fault = has_fault || (!question_.target.property &&
                                  event.pc == question_.target.pc);
        break;
      }
      if (event.stop == exec::Stop::Abort) {
        run.aborted.push_back(*subject_.call(instance));
      }
      if (event.stop != exec::Stop::Commit) continue;
      state = std::move(after);
      for (const KeyId key : written) writers[key.index] = instance;
    }
    judge(run, state, writers, slots);
    run.is_violated = run.is_violated || has_fault;
    runs_.push_back(std::move(run));
  }

  void judge(SerialRun& run, const std::vector<std::int64_t>& state,
             const std::vector<exec::InstanceId>& writers,
             const std::vector<std::vector<std::int64_t>>& slots) {
    std::vector<FinalValue> finals;
    for (const KeyId key : question_.rows) {
      finals.push_back({key, state[key.index], writers[key.index]});
    }
    run.finals = subject_.finals(finals);
    for (const exec::FailedAssert& failed : failures_) {
      run.is_violated |= failed.property == question_.target.property;
    }
    std::vector<const std::int64_t*> locals;
    locals.reserve(slots.size());
    for (const auto& s : slots) {
      locals.push_back(s.empty() ? nullptr : s.data());
    }
    std::vector<std::int64_t> scratch(script_.max_slots + 1);
    for (std::size_t i = 0; i < script_.conditions.size(); ++i) {
      const exec::Script::Condition& condition = script_.conditions[i];
      if (!question_.target.property ||
          condition.property != *question_.target.property) {
        continue;
      }
      run.is_violated |=
          !runner_->holds(i, state, locals.data(), scratch.data());
    }
    if (question_.condition) {
      run.variables = subject_.variables(*question_.condition, locals, {});
    }
  }

  const Subject& subject_;
  const exec::Script& script_;
  const SerialQuestion& question_;
  const Budget& budget_;
  std::unique_ptr<exec::Runner> runner_;
  const std::size_t most_;
  std::vector<exec::FailedAssert> failures_;
  std::vector<std::vector<exec::InstanceId>> sessions_;
  std::uint32_t last_session_ = 0;
  std::size_t total_ = 0;
  std::vector<std::size_t> next_;
  std::vector<exec::InstanceId> order_;
  std::vector<SerialRun> runs_;
};

}  // namespace

std::vector<SerialRun> run_serially(
    const Subject& subject, const std::vector<exec::InstanceId>& instances,
    const SerialQuestion& question, std::uint64_t loop_bound, std::size_t most,
    const Budget& budget) {
  return SerialRuns(subject, instances, question, loop_bound, most, budget)
      .run();
}

}  // namespace txscope::explore
