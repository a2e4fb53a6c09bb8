#include <algorithm>
#include <cassert>
#include <map>

#include "explore/schedule.h"

namespace txscope::explore {
namespace {

using Kind = ScheduleStep::Kind;

/// What a transaction has written, latest value per row.
using Writes = std::map<std::uint32_t, std::int64_t>;

class HistoryRunner {
 public:
  HistoryRunner(const exec::Script& script, std::uint64_t loop_bound,
                const Budget& budget)
      : script_(script), runner_(script.make_runner(loop_bound, budget)) {
    runner_->trace_failures(&failures_);
  }

  ScheduledRun::Txn run(const WorkItem::Txn& txn) {
    out_ = {};
    out_.instance = exec::InstanceId(txn.instance);
    out_.slots.resize(script_.max_slots);
    Writes own;
    std::size_t answered = 0;
    exec::Event event = runner_->start(out_.instance, out_.slots.data());
    for (;;) {
      note_failures();
      ScheduleStep step;
      step.instance = out_.instance;
      step.at = runner_->place(event.pc);
      step.key = event.key;
      step.value = event.value;
      switch (event.stop) {
        case exec::Stop::Read: {
          const auto mine = own.find(event.key.index);
          step.is_own = mine != own.end();
          if (step.is_own) {
            step.value = mine->second;
            step.source = out_.instance;
          } else {
            assert(answered < txn.sources.size() && "a complete history");
            step.source = exec::InstanceId(txn.sources[answered++]);
            step.value = written(step.source, event.key);
          }
          out_.steps.push_back(step);
          event = runner_->answer(event.pc, step.value, out_.slots.data());
          continue;
        }
        case exec::Stop::Write:
          step.kind = Kind::Write;
          own[event.key.index] = event.value;
          out_.steps.push_back(step);
          event = runner_->resume(event.pc, out_.slots.data());
          continue;
        case exec::Stop::Commit:
          step.kind = Kind::Commit;
          written_[out_.instance.index] = std::move(own);
          break;
        case exec::Stop::Abort:
        case exec::Stop::Assume:
        case exec::Stop::Bound: step.kind = Kind::Abort; break;
        case exec::Stop::Fault:
          step.kind = Kind::Fault;
          step.fault = event.fault;
          step.at = runner_->statement(event.pc);
          break;
      }
      out_.steps.push_back(step);
      return std::move(out_);
    }
  }

 private:
  void note_failures() {
    for (const exec::FailedAssert& failed : failures_) {
      ScheduleStep step;
      step.kind = Kind::AssertFailed;
      step.instance = out_.instance;
      step.at = failed.at;
      step.property = failed.property;
      out_.steps.push_back(step);
    }
    failures_.clear();
  }

  std::int64_t written(exec::InstanceId source, KeyId key) {
    if (source == exec::kInit) return script_.initial[key.index];
    return written_[source.index].at(key.index);
  }

  const exec::Script& script_;
  std::unique_ptr<exec::Runner> runner_;
  std::vector<exec::FailedAssert> failures_;
  std::map<std::uint32_t, Writes> written_;  // by committed instance
  ScheduledRun::Txn out_;
};

}  // namespace

ScheduledRun run_history(const exec::Script& script, const WorkItem& history,
                         std::uint64_t loop_bound, const Budget& budget) {
  HistoryRunner runner(script, loop_bound, budget);
  ScheduledRun execution;
  for (const WorkItem::Txn& txn : history.txns) {
    execution.txns.push_back(runner.run(txn));
  }
  return execution;
}

std::optional<std::string> replay_error(const exec::Script& script,
                                        std::span<const ScheduleStep> schedule,
                                        std::uint64_t loop_bound) {
  struct Running {
    std::vector<std::int64_t> slots;
    exec::Event event;
    Writes writes;
    bool is_over = false;
  };
  const Budget budget = Budget::unlimited();
  const auto runner = script.make_runner(loop_bound, budget);
  std::map<std::uint32_t, Running> running;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const ScheduleStep& step = schedule[i];
    if (step.kind == Kind::AssertFailed) continue;
    const std::string at = "step " + std::to_string(i + 1) + ": ";
    const auto [found, is_new] = running.try_emplace(step.instance.index);
    Running& txn = found->second;
    if (is_new) {
      const exec::Script::Instance& call =
          script.instances[step.instance.index];
      for (const auto& [other, state] : running) {
        if (other != step.instance.index && !state.is_over &&
            script.instances[other].session == call.session) {
          return at + "its session is still busy";
        }
      }
      txn.slots.resize(script.max_slots);
      txn.event = runner->start(step.instance, txn.slots.data());
    }
    if (txn.is_over) return at + "the transaction is over";
    const bool same_key = txn.event.key == step.key;
    switch (step.kind) {
      case Kind::Read: {
        if (txn.event.stop != exec::Stop::Read || !same_key)
          return at + "no such read";
        std::int64_t value = script.initial[step.key.index];
        if (step.source != exec::kInit) {
          const auto source = running.find(step.source.index);
          const bool is_readable =
              source != running.end() &&
              (step.is_own
                   ? source == found
                   : source->second.is_over &&
                         source->second.event.stop == exec::Stop::Commit) &&
              source->second.writes.contains(step.key.index);
          if (!is_readable) return at + "nothing to read there";
          value = source->second.writes.at(step.key.index);
        }
        if (!step.is_own && txn.writes.contains(step.key.index)) {
          return at + "an own write is ignored";
        }
        if (value != step.value) return at + "another value";
        txn.event = runner->answer(txn.event.pc, value, txn.slots.data());
        break;
      }
      case Kind::Write:
        if (txn.event.stop != exec::Stop::Write || !same_key ||
            txn.event.value != step.value) {
          return at + "no such write";
        }
        txn.writes[step.key.index] = step.value;
        txn.event = runner->resume(txn.event.pc, txn.slots.data());
        break;
      case Kind::Commit:
        if (txn.event.stop != exec::Stop::Commit) return at + "no commit yet";
        txn.is_over = true;
        break;
      case Kind::Abort:
        if (txn.event.stop != exec::Stop::Abort &&
            txn.event.stop != exec::Stop::Assume &&
            txn.event.stop != exec::Stop::Bound) {
          return at + "no abort";
        }
        txn.is_over = true;
        break;
      case Kind::Fault:
        if (txn.event.stop != exec::Stop::Fault ||
            txn.event.fault != step.fault) {
          return at + "no such error";
        }
        txn.is_over = true;
        break;
      case Kind::AssertFailed: break;
    }
  }
  for (const auto& [instance, txn] : running) {
    if (!txn.is_over) return "a transaction never ends";
  }
  return std::nullopt;
}

}  // namespace txscope::explore
