#include <algorithm>

#include "explore/explain.h"

namespace txscope {
namespace {

class SerialRuns {
 public:
  SerialRuns(const Code& code, const std::vector<InstanceId>& instances,
             const Target& target, const Violation& violation,
             std::uint64_t loop_bound, std::size_t most)
      : code_(code),
        target_(target),
        violation_(violation),
        budget_(Budget::unlimited()),
        machine_(code, loop_bound, budget_),
        most_(most) {
    machine_.trace_failures(&failures_);
    for (const InstanceId i : instances) {
      const std::uint32_t session = code.instances[i.index].session;
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
    if (runs_.size() > most_) runs_.clear();
    return std::move(runs_);
  }

 private:
  // Depth: the number of transactions of a reduced violation.
  void extend() {
    if (runs_.size() > most_) return;
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
    run.order = order_;
    std::vector<std::int64_t> state = code_.initial;
    std::vector<InstanceId> writers(state.size(), kInit);
    std::vector<std::vector<std::int64_t>> slots(code_.instances.size());
    failures_.clear();
    bool has_fault = false;
    for (const InstanceId instance : order_) {
      auto& own = slots[instance.index];
      own.resize(code_.max_slots);
      std::vector<std::int64_t> after = state;
      std::vector<KeyId> written;
      Event event = machine_.start(instance, own.data());
      while (event.stop == Stop::Read || event.stop == Stop::Write) {
        if (event.stop == Stop::Read) {
          event = machine_.answer(event.pc, after[event.key.index], own.data());
        } else {
          after[event.key.index] = event.value;
          written.push_back(event.key);
          event = machine_.resume(event.pc, own.data());
        }
      }
      // An order that an assumption excludes, or that is cut, says nothing.
      if (event.stop == Stop::Assume || event.stop == Stop::Bound) return;
      if (event.stop == Stop::Fault) {
        has_fault = has_fault || (!target_.property && event.pc == target_.pc);
        break;
      }
      if (event.stop != Stop::Commit) continue;
      state = std::move(after);
      for (const KeyId key : written) writers[key.index] = instance;
    }
    judge(run, state, writers, slots);
    run.is_violated = run.is_violated || has_fault;
    runs_.push_back(std::move(run));
  }

  void judge(SerialRun& run, const std::vector<std::int64_t>& state,
             const std::vector<InstanceId>& writers,
             const std::vector<std::vector<std::int64_t>>& slots) {
    for (const FinalValue& value : violation_.finals) {
      run.finals.push_back(
          {value.key, state[value.key.index], writers[value.key.index]});
    }
    for (const std::uint32_t pc : failures_) {
      run.is_violated |= target_.property &&
                         code_.instructions[pc].imm == target_.property->index;
    }
    std::vector<const std::int64_t*> locals;
    for (const auto& s : slots) {
      locals.push_back(s.empty() ? nullptr : s.data());
    }
    std::vector<std::int64_t> scratch(code_.max_slots + 1);
    for (const Code::Condition& condition : code_.conditions) {
      if (!target_.property || condition.property != *target_.property) {
        continue;
      }
      run.is_violated |=
          !machine_.holds(condition, state, locals.data(), scratch.data());
    }
    for (const LocalValue& local : violation_.locals) {
      const Code::Local& ref = code_.local_refs[local.ref];
      const std::int64_t* own = locals[ref.instance.index];
      if (own == nullptr || !code_.is_assigned(own, ref.local)) continue;
      run.locals.push_back({local.name, own[ref.slot], local.ref});
    }
  }

  const Code& code_;
  const Target target_;
  const Violation& violation_;
  const Budget budget_;
  Machine machine_;
  const std::size_t most_;
  std::vector<std::uint32_t> failures_;
  std::vector<std::vector<InstanceId>> sessions_;
  std::uint32_t last_session_ = 0;
  std::size_t total_ = 0;
  std::vector<std::size_t> next_;
  std::vector<InstanceId> order_;
  std::vector<SerialRun> runs_;
};

}  // namespace

std::vector<SerialRun> run_serially(const Program&, const Code& code,
                                    const std::vector<InstanceId>& instances,
                                    const Target& target,
                                    const Violation& violation,
                                    std::uint64_t loop_bound,
                                    std::size_t most) {
  return SerialRuns(code, instances, target, violation, loop_bound, most).run();
}

}  // namespace txscope
